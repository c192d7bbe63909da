#pragma once

namespace chordlearn {

// log of a (a+1) … (a+c-1) = lgamma(a+c) - lgamma(a) for a > 0 and a whole number c >= 0,
// accurate where the two log-gammas would cancel: tiny a, huge a, huge c.
double log_rising(double a, double c);

// log_rising(a, c) - c (log(rows) - 1). Where counts sum to `rows`, sums of these differ from sums of log_rising by a
// known number, and do not cancel: with 1e9 rows log_rising itself is only good to 1e-6.
double log_rising_share(double a, double c, double rows);

// The same for any c >= 0. of_start is log_gamma_of_start(a), which many c share; it is 0 where it is of no use.
double log_rising_fraction(double a, double c, double rows, double of_start);
double log_gamma_of_start(double a);

}  // namespace chordlearn
