#pragma once

#include <cmath>
#include <cstddef>

namespace chordlearn {

// Sum with a second double for the rounding errors (Neumaier), so that a million terms lose no digits.
class Sum {
public:
    void add(double x) {
        const double t = total_ + x;
        rest_ += std::fabs(total_) >= std::fabs(x) ? (total_ - t) + x : (x - t) + total_;
        total_ = t;
    }
    double value() const { return total_ + rest_; }

private:
    double total_ = 0.0;
    double rest_ = 0.0;
};

// Adds term(i) for 0 <= i < size: plain sums over short blocks, which a processor overlaps, and a careful sum of those.
// The order of the additions depends on size alone.
template <class Term>
void add_terms(Sum& sum, std::size_t size, Term term) {
    constexpr std::size_t kBlock = 128;
    std::size_t i = 0;
    while (i < size) {
        const std::size_t end = size - i < kBlock ? size : i + kBlock;
        double a = 0.0, b = 0.0, c = 0.0, d = 0.0;
        for (; i + 4 <= end; i += 4) {
            a += term(i);
            b += term(i + 1);
            c += term(i + 2);
            d += term(i + 3);
        }
        for (; i < end; ++i) a += term(i);
        sum.add((a + b) + (c + d));
    }
}

}  // namespace chordlearn
