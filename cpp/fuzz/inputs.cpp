#include "fuzz/inputs.hpp"

#include <algorithm>
#include <cmath>
#include <cstdint>

namespace chordlearn::fuzz {

CodedTable table_from(Bytes& bytes, int least_n, int most_n) {
    const int n = bytes.between(least_n, most_n);
    const std::size_t rows = static_cast<std::size_t>(bytes.one_in(8) ? bytes.between(0, 300) : bytes.between(1, 24));
    const int common = bytes.between(1, 4);
    std::vector<std::int64_t> arities(static_cast<std::size_t>(n), common);
    for (std::int64_t& arity : arities)
        if (bytes.one_in(4)) arity = bytes.one_in(4) ? bytes.between(1, 700) : bytes.between(1, 9);
    std::vector<std::int32_t> codes;
    std::vector<std::int64_t> weights;
    const int heaviest = bytes.between(0, 40);
    for (std::size_t r = 0; r < rows; ++r) {
        // With few bytes left, rows still differ.
        std::uint64_t state = bytes.word(4) + r * 0x9e3779b97f4a7c15ULL;
        for (const std::int64_t arity : arities) {
            state = (state ^ state >> 29) * 0xbf58476d1ce4e5b9ULL + 1;
            codes.push_back(static_cast<std::int32_t>((state >> 33) % static_cast<std::uint64_t>(arity)));
        }
        weights.push_back(1 + static_cast<std::int64_t>(bytes.one_in(4) ? bytes.word(5) >> (40 - heaviest) : 0));
    }
    return make_coded_table(codes.data(), weights.data(), rows, arities);
}

ScoreOptions options_from(Bytes& bytes) {
    ScoreOptions options;
    // qnml takes a table of a million constants each time, so it comes rarely.
    constexpr ScoreKind kKinds[] = {ScoreKind::bdeu, ScoreKind::dirichlet, ScoreKind::bic, ScoreKind::aic};
    options.kind = bytes.one_in(24) ? ScoreKind::qnml : kKinds[bytes.between(0, 3)];
    options.parameter = bytes.flag() ? 1.0 : std::fabs(number_from(bytes, 1e300));
    options.edge_prior = bytes.flag() ? 0.0 : number_from(bytes, 1e6);
    return options;
}

double number_from(Bytes& bytes, double largest) {
    switch (bytes.byte() % 8) {
        case 0: return 0;
        case 1:
        case 2:
        case 3: return bytes.between(-8, 8);
        case 4: return bytes.between(-8, 8) + 1e-12 * bytes.between(-3, 3);
        case 5: return std::ldexp(bytes.share() - 0.5, bytes.between(-60, 10));
        case 6: return (bytes.share() - 0.5) * 2000;
        default: {
            const double exponent = bytes.share() * std::log10(largest);
            return std::clamp((bytes.flag() ? -1 : 1) * std::pow(10.0, exponent), -largest, largest);
        }
    }
}

std::vector<double> scores_from(Bytes& bytes, int n, double largest) {
    std::vector<double> scores(std::size_t{1} << n, 0);
    const int impossible = bytes.one_in(2) ? bytes.between(3, 60) : 0;
    const double offset = bytes.one_in(3) ? number_from(bytes, largest) : 0;
    for (std::size_t set = 1; set < scores.size(); ++set) {
        scores[set] = std::clamp(offset + number_from(bytes, largest), -largest, largest);
        const Set s = static_cast<Set>(set);
        if (size(s) < 2) continue;
        bool allowed = impossible == 0 || !bytes.one_in(impossible);
        for_each(s, [&](int i) { allowed = allowed && scores[s & ~single(i)] != kMinusInfinity; });
        if (!allowed) scores[set] = kMinusInfinity;
    }
    return scores;
}

EdgeList edges_from(Bytes& bytes, int n, int most) {
    EdgeList edges;
    for (int left = n > 1 ? bytes.between(0, most) : 0; left > 0; --left) {
        const int a = bytes.between(0, n - 1), b = bytes.between(0, n - 1);
        if (a != b) edges.emplace_back(a, b);
    }
    return edges;
}

Problem::Problem(Bytes& bytes, int n, double largest) : scores(scores_from(bytes, n, largest)) {
    instance.n = n;
    instance.v = scores.data();
    instance.required.assign(static_cast<std::size_t>(n), 0);
    if (bytes.one_in(3))
        for (const auto& [a, b] : edges_from(bytes, n, 3)) {
            instance.required[static_cast<std::size_t>(a)] |= single(b);
            instance.required[static_cast<std::size_t>(b)] |= single(a);
        }
    for (const double score : scores)
        if (std::isfinite(score)) magnitude = std::max(magnitude, std::fabs(score));
}

double Problem::rounding() const { return 64.0 * instance.n * magnitude * 0x1p-53; }

bool holds_edges(const Graph& graph, const Instance& instance) {
    for (std::size_t i = 0; i < graph.size(); ++i)
        if (instance.required[i] & ~graph[i]) return false;
    return true;
}

bool has_edge(const Graph& graph, int a, int b) { return graph[static_cast<std::size_t>(a)] >> b & 1; }

bool is_complete(const Graph& graph, Set set) {
    bool complete = true;
    for_each(set, [&](int i) { complete = complete && (set & ~single(i) & ~graph[static_cast<std::size_t>(i)]) == 0; });
    return complete;
}

}  // namespace chordlearn::fuzz
