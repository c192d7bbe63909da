#include "scoring/log_rising.hpp"

#include <cmath>

namespace chordlearn {
namespace {

constexpr double kLargeEnoughForStirling = 16.0;
constexpr double kHalfLogTwoPi = 0.91893853320467274178;

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

// The factors of a (a + 1) … that are too small for Stirling's formula: their logarithm, and what is left.
struct Head {
    double log = 0.0, a = 0.0, c = 0.0, taken = 0.0;
};

Head take_small_factors(double a, double c) {
    if (a >= kLargeEnoughForStirling) return {0.0, a, c, 0.0};
    // The first factor apart: it may be as small as the smallest double, the product of the others never is.
    double factor = a + 1.0, product = 1.0, taken = 1.0;
    while (taken < c && factor < kLargeEnoughForStirling) {
        product *= factor;
        factor += 1.0;
        taken += 1.0;
    }
    return {std::log(a) + std::log(product), factor, c - taken, taken};
}

// log(x / y), accurate where both are nearly the same.
double log_ratio(double x, double y) { return 2.0 * x > y && x < 2.0 * y ? std::log1p((x - y) / y) : std::log(x / y); }

// log gamma(x) for x < 16, raised by so many steps that Stirling's formula is exact; the first factor apart, as above.
double log_gamma_of_small(double x) {
    double y = x + 1.0, product = 1.0;
    for (; y < kLargeEnoughForStirling; y += 1.0) product *= y;
    return (y - 0.5) * std::log(y) - y + kHalfLogTwoPi + stirling_rest(y) - std::log(product) - std::log(x);
}

}  // namespace

double log_rising(double a, double c) {
    if (c <= 0.0) return 0.0;
    const Head head = take_small_factors(a, c);
    if (head.c <= 0.0) return head.log;
    const double end = head.a + head.c;
    return head.log + ((head.a - 0.5) * std::log1p(head.c / head.a) - head.c + head.c * std::log(end)) +
           (stirling_rest(end) - stirling_rest(head.a));
}

double log_rising_share(double a, double c, double rows) {
    if (c <= 0.0) return 0.0;
    const Head head = take_small_factors(a, c);
    const double small = head.log - head.taken * (std::log(rows) - 1.0);
    if (head.c <= 0.0) return small;
    const double end = head.a + head.c;
    return small + ((head.a - 0.5) * std::log1p(head.c / head.a) + head.c * log_ratio(end, rows)) +
           (stirling_rest(end) - stirling_rest(head.a));
}

double log_gamma_of_start(double a) { return a < kLargeEnoughForStirling ? log_gamma_of_small(a) : 0.0; }

double log_rising_fraction(double a, double c, double rows, double of_start) {
    if (c <= 0.0) return 0.0;
    const double end = a + c;
    if (a >= kLargeEnoughForStirling)
        return ((a - 0.5) * std::log1p(c / a) + c * log_ratio(end, rows)) + (stirling_rest(end) - stirling_rest(a));
    if (end < kLargeEnoughForStirling) return log_gamma_of_small(end) - of_start - c * (std::log(rows) - 1.0);
    return (c * log_ratio(end, rows) + ((a - 0.5) * std::log(end) - a + kHalfLogTwoPi + stirling_rest(end))) - of_start;
}

}  // namespace chordlearn
