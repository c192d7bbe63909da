#include "large/pair_scores.hpp"

#include <algorithm>
#include <numeric>
#include <set>

#include "common/parallel.hpp"
#include "common/simd.hpp"

namespace chordlearn {

namespace {

constexpr std::uint64_t kMostBits = std::uint64_t{1} << 36;  // 8 GB of bit-sliced columns

// A column as one row of bits for each state but the last, over all rows, repeated ones too.
struct SlicedColumn {
    std::vector<std::vector<std::uint64_t>> states;
};

CHORDLEARN_CLONES std::uint64_t count_common(const std::uint64_t* a, const std::uint64_t* b, std::size_t words) {
    std::uint64_t count = 0;
    for (std::size_t k = 0; k < words; ++k) count += static_cast<std::uint64_t>(__builtin_popcountll(a[k] & b[k]));
    return count;
}

std::vector<SlicedColumn> slice(const CodedTable& table, const Control& control) {
    const std::size_t words = (table.rows + 63) / 64;
    std::vector<SlicedColumn> columns(table.columns.size());
    for (std::size_t i = 0; i < columns.size(); ++i) {
        control.check();
        auto& states = columns[i].states;
        states.assign(table.arities[i] - 1, std::vector<std::uint64_t>(words, 0));
        std::uint64_t row = 0;
        for (std::size_t r = 0; r < table.distinct(); ++r) {
            const std::uint16_t code = table.columns[i][r];
            for (std::uint64_t copy = 0; copy < table.weights[r]; ++copy, ++row)
                if (code < states.size()) states[code][row / 64] |= std::uint64_t{1} << (row % 64);
        }
    }
    return columns;
}

std::vector<std::uint64_t> count_states(const CodedTable& table, std::size_t i) {
    std::vector<std::uint64_t> counts(table.arities[i], 0);
    for (std::size_t r = 0; r < table.distinct(); ++r) counts[table.columns[i][r]] += table.weights[r];
    return counts;
}

}  // namespace

double PairScores::typical_gain() const {
    std::vector<double> best(n, 0);
    for (int i = 1; i < n; ++i)
        for (int j = 0; j < i; ++j) {
            best[i] = std::max(best[i], gain(i, j));
            best[j] = std::max(best[j], gain(i, j));
        }
    if (best.empty()) return 1;
    const auto middle = best.begin() + n / 2;
    std::nth_element(best.begin(), middle, best.end());
    return std::max(*middle, 1.0);
}

PairScores score_pairs(const CodedTable& table, const ScoreOptions& options, int threads, const Control& control) {
    const std::size_t n = table.columns.size();
    PairScores scores;
    scores.n = static_cast<int>(n);
    scores.single.resize(n);
    scores.gains.resize(n * (n - 1) / 2);
    std::uint64_t bits = 0;
    double largest = 1;
    for (const std::uint32_t arity : table.arities) {
        bits += table.rows * (arity - 1);
        largest = std::max(largest, static_cast<double>(arity));
    }
    const ScoreFunction function(options, static_cast<double>(table.rows), largest * largest);
    const bool sliced = bits <= kMostBits && table.rows <= 64 * table.distinct();
    const std::vector<SlicedColumn> columns = sliced ? slice(table, control) : std::vector<SlicedColumn>{};
    const std::size_t words = (table.rows + 63) / 64;

    std::vector<std::vector<std::uint64_t>> counts(n);
    for (std::size_t i = 0; i < n; ++i) {
        control.check();
        counts[i] = count_states(table, i);
        const double cells = table.arities[i];
        scores.single[i] = function.constant(cells);
        for (const std::uint64_t count : counts[i])
            scores.single[i] += function.term(static_cast<double>(count), cells);
    }
    parallel_for(n, threads, [&](std::size_t i) {
        std::vector<std::uint64_t> joint;
        for (std::size_t j = 0; j < i; ++j) {
            control.check();
            const std::size_t a = table.arities[i], b = table.arities[j];
            joint.assign(a * b, 0);
            if (sliced) {
                // The last state of each is what the others leave.
                std::vector<std::uint64_t> left_i = counts[i], left_j = counts[j];
                for (std::size_t s = 0; s + 1 < a; ++s)
                    for (std::size_t t = 0; t + 1 < b; ++t) {
                        const std::uint64_t common =
                            count_common(columns[i].states[s].data(), columns[j].states[t].data(), words);
                        joint[s * b + t] = common;
                        left_i[s] -= common;
                        left_j[t] -= common;
                    }
                std::uint64_t corner = counts[i][a - 1];
                for (std::size_t s = 0; s + 1 < a; ++s) joint[s * b + b - 1] = left_i[s];
                for (std::size_t t = 0; t + 1 < b; ++t) {
                    joint[(a - 1) * b + t] = left_j[t];
                    corner -= left_j[t];
                }
                joint[a * b - 1] = corner;
            } else {
                for (std::size_t r = 0; r < table.distinct(); ++r)
                    joint[table.columns[i][r] * b + table.columns[j][r]] += table.weights[r];
            }
            const double cells = static_cast<double>(a) * static_cast<double>(b);
            double score = function.constant(cells) + function.edges(2);
            for (const std::uint64_t count : joint)
                if (count) score += function.term(static_cast<double>(count), cells);
            scores.gains[i * (i - 1) / 2 + j] = score - scores.single[i] - scores.single[j];
        }
    });
    return scores;
}

void join_by_best_forest(WideGraph& graph, const PairScores& pairs, const EdgeList& forbidden) {
    const int n = graph.size();
    std::vector<int> part(n);
    std::iota(part.begin(), part.end(), 0);
    const auto find = [&](int i) {
        while (part[i] != i) i = part[i] = part[part[i]];
        return i;
    };
    const auto join = [&](int i, int j) {
        const int a = find(i), b = find(j);
        part[a] = b;
        return a != b;
    };
    for (int i = 0; i < n; ++i)
        for (int j : graph.neighbours(i)) join(i, j);
    std::set<std::pair<int, int>> excluded;
    for (const auto& [a, b] : forbidden) excluded.emplace(std::min(a, b), std::max(a, b));
    std::vector<std::pair<double, std::pair<int, int>>> edges;
    for (int i = 1; i < n; ++i)
        for (int j = 0; j < i; ++j)
            if (pairs.gain(i, j) > 0 && !excluded.contains({j, i})) edges.push_back({-pairs.gain(i, j), {j, i}});
    std::sort(edges.begin(), edges.end());
    for (const auto& [gain, edge] : edges)
        if (join(edge.first, edge.second)) graph.connect(edge.first, edge.second);
}

}  // namespace chordlearn
