#include "scoring/log_rising.hpp"

#include <cmath>

namespace chordlearn {
namespace {

constexpr double large_enough_for_stirling = 16.0;

// lgamma(x) - ((x - 1/2) log x - x + log(2 pi) / 2); the first term left out is below 1e-18 from 16 on.
double stirling_rest(double x) {
    const double y = 1.0 / (x * x);
    double s = -3617.0 / 122400.0;
    s = s * y + 1.0 / 156.0;
    s = s * y - 691.0 / 360360.0;
    s = s * y + 1.0 / 1188.0;
    s = s * y - 1.0 / 1680.0;
    s = s * y + 1.0 / 1260.0;
    s = s * y - 1.0 / 360.0;
    s = s * y + 1.0 / 12.0;
    return s / x;
}

}  // namespace

double log_rising(double a, double c) {
    if (c <= 0.0) return 0.0;
    double head = 0.0;
    if (a < large_enough_for_stirling) {
        // The first factor apart: it may be as small as the smallest double, the product of the others never is.
        head = std::log(a);
        double factor = a + 1.0, product = 1.0;
        c -= 1.0;
        while (c > 0.0 && factor < large_enough_for_stirling) {
            product *= factor;
            factor += 1.0;
            c -= 1.0;
        }
        head += std::log(product);
        if (c <= 0.0) return head;
        a = factor;
    }
    const double end = a + c;
    return head + ((a - 0.5) * std::log1p(c / a) - c + c * std::log(end)) + (stirling_rest(end) - stirling_rest(a));
}

}  // namespace chordlearn
