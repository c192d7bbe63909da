#pragma once

namespace chordlearn {

// log of a (a+1) … (a+c-1) = lgamma(a+c) - lgamma(a) for a > 0 and a whole number c >= 0,
// accurate where the two log-gammas would cancel: tiny a, huge a, huge c.
double log_rising(double a, double c);

}  // namespace chordlearn
