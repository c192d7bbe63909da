#include "scoring/multinomial_nml.hpp"

#include <algorithm>
#include <cmath>

namespace chordlearn {
namespace {

// C(N, 2) as the sum over b of N (N-1) … (N-b+1) / N^b: positive terms that die out after some sqrt(N) of them.
double two_cells(double draws) {
    double sum = 1.0, term = 1.0;
    for (double j = 0.0; j < draws; j += 1.0) {
        term *= 1.0 - j / draws;
        sum += term;
        if (term < 1e-18 * sum) break;
    }
    return sum;
}

double szpankowski_weinberger(double draws, double cells) {
    const double alpha = cells / draws;
    const double root = std::sqrt(1.0 + 4.0 / alpha);
    const double excess = 2.0 / alpha / (1.0 + root);
    const double c = 1.0 + excess;
    const double per_draw = std::log(alpha) + (alpha + 2.0) * std::log1p(excess) - 1.0 / c;
    return draws * per_draw - 0.5 * std::log(c + 2.0 / alpha);
}

}  // namespace

MultinomialNml::MultinomialNml(double draws, double largest_cells) : draws_(draws) {
    const auto last = static_cast<std::size_t>(std::min(largest_cells, static_cast<double>(kExactCells)));
    exact_.assign(last + 1, 0.0);
    if (last < 2 || draws <= 0.0) return;
    // C(N, k+2) = C(N, k+1) + (N/k) C(N, k), kept as the ratio of neighbours so that nothing overflows.
    double ratio = two_cells(draws);
    double log_constant = std::log(ratio), lost = 0.0;
    exact_[2] = log_constant;
    for (std::size_t k = 1; k + 2 <= last; ++k) {
        ratio = 1.0 + draws / static_cast<double>(k) / ratio;
        const double step = std::log(ratio) + lost;
        const double next = log_constant + step;
        lost = step - (next - log_constant);
        log_constant = next;
        exact_[k + 2] = log_constant;
    }
}

double MultinomialNml::log_constant(double cells) const {
    if (cells < static_cast<double>(exact_.size())) return exact_[static_cast<std::size_t>(cells)];
    return szpankowski_weinberger(draws_, cells);
}

}  // namespace chordlearn
