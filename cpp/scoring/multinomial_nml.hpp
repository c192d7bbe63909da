#pragma once

#include <cstddef>
#include <vector>

namespace chordlearn {

// log C(N, k): the normalising constant of the normalised maximum likelihood of N draws from k cells.
class MultinomialNml {
public:
    // Up to this many cells the constant is exact up to rounding; beyond it is the approximation of
    // Szpankowski and Weinberger (2012), whose error vanishes as cells and draws grow.
    static constexpr std::size_t kExactCells = std::size_t{1} << 20;

    MultinomialNml(double draws, double largest_cells);
    double log_constant(double cells) const;

private:
    double draws_;
    std::vector<double> exact_;
};

}  // namespace chordlearn
