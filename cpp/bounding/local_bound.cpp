#include "bounding/local_bound.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <vector>

#include "bounding/set_index.hpp"
#include "bounding/small_scores.hpp"

namespace chordlearn {

namespace {

// What a family of `child` and at least the other variables of a set may score at most, if the set has so many cells,
// of which so many occur.
double largest_score_with(const ScoreOptions& options, double rows, double states, double cells, double occurring) {
    switch (options.kind) {
        case ScoreKind::bdeu:
            // The first occurrence of a state among rows with the same parents has at most the prior probability
            // 1/states, and more parents only make more such first occurrences. With fractions of rows, the factors of
            // a Dirichlet mean are negatively associated, and that of a state with weight w is at most
            // (1/states)^min(1, w).
            return -occurring * std::log(states);
        case ScoreKind::bic:
            if (rows < 1) return std::numeric_limits<double>::infinity();
            return -0.5 * std::log(rows) * (states - 1) * (cells / states);
        case ScoreKind::aic: return -(states - 1) * (cells / states);
        default: return std::numeric_limits<double>::infinity();
    }
}

}  // namespace

double local_bound(const CodedTable& table, const ScoreOptions& options, int largest, int threads, Control& control) {
    const SetIndex index(table.variables(), largest);
    const auto n = static_cast<std::size_t>(index.n());
    const double rows = static_cast<double>(table.rows) * options.unit;
    const bool all_sizes = index.largest() == index.n();
    std::vector<std::uint32_t> occurring(all_sizes ? 0 : index.count() - index.first(index.largest()));
    const std::vector<double> scores =
        score_small_sets(table, options, index, threads, control, all_sizes ? nullptr : occurring.data());
    std::vector<double> best(scores.begin(), scores.begin() + static_cast<std::ptrdiff_t>(n));
    // With more parents than were tried there are up to n - 1 edges into a variable.
    const double prior = std::max(0.0, options.edge_prior) * static_cast<double>(n - 1);
    for (int size = 1; size <= index.largest(); ++size) {
        index.for_each(size, [&](std::size_t number, const SmallSet& set) {
            control.check();
            double cells = 1;
            for (const int i : set) cells *= table.arities[static_cast<std::size_t>(i)];
            for (int k = 0; k < size; ++k) {
                const std::size_t child = set.at[static_cast<std::size_t>(k)];
                if (size > 1)
                    best[child] = std::max(best[child], scores[number] - scores[index.number(set.without(k))]);
                if (size == index.largest() && !all_sizes)
                    best[child] =
                        std::max(best[child], prior + largest_score_with(options, rows, table.arities[child], cells,
                                                                         occurring[number - index.first(size)]));
            }
        });
    }
    double bound = 0, magnitude = 1;
    for (std::size_t i = 0; i < n; ++i) {
        bound += best[i];
        magnitude += std::fabs(scores[i]);
    }
    return bound + 1e-12 * magnitude;
}

}  // namespace chordlearn
