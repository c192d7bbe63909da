#pragma once

namespace chordlearn {

// lgamma(a+c) - lgamma(a) for a > 0 and c >= 0, which is the log of a (a+1) … (a+c-1) for a whole number c;
// accurate where the two log-gammas would cancel: tiny a, huge a, huge c.
double log_rising(double a, double c);

// log_rising(a, c) - c (log(rows) - 1). Where counts sum to `rows`, sums of these differ from sums of log_rising by a
// known number, and do not cancel: with 1e9 rows log_rising itself is only good to 1e-6.
double log_rising_share(double a, double c, double rows);

}  // namespace chordlearn
