#include "engine/exhaustive.hpp"

#include <algorithm>

namespace chordlearn {

ExhaustiveResult solve_exhaustive(const Instance& instance, int top, const Control& control) {
    const int n = instance.n;
    std::vector<std::pair<int, int>> pairs;
    std::uint64_t required = 0;
    for (int b = 1; b < n; ++b)
        for (int a = 0; a < b; ++a) {
            if (instance.required[a] >> b & 1) required |= std::uint64_t{1} << pairs.size();
            pairs.emplace_back(a, b);
        }

    struct Found {
        double score;
        std::uint64_t edges;
    };
    std::vector<Found> found;
    const auto better = [](const Found& x, const Found& y) { return x.score > y.score; };

    Graph graph(n);
    const auto draw = [&](std::uint64_t edges) {
        std::fill(graph.begin(), graph.end(), 0);
        for (std::uint64_t rest = edges; rest; rest &= rest - 1) {
            const auto [a, b] = pairs[std::countr_zero(rest)];
            graph[a] |= single(b);
            graph[b] |= single(a);
        }
    };
    ExhaustiveResult result;
    const std::uint64_t graphs = std::uint64_t{1} << pairs.size();
    for (std::uint64_t edges = 0; edges < graphs; ++edges) {
        if ((edges & 0xfff) == 0) control.check();
        draw(edges);
        if (!is_chordal(graph)) continue;
        ++result.chordal_graphs;
        if (required & ~edges) continue;
        const auto cliques = maximal_cliques(graph);
        if (!std::all_of(cliques.begin(), cliques.end(), [&](Set c) { return instance.allowed(c); })) continue;
        const Found candidate{graph_score(graph, instance.v), edges};
        if (static_cast<int>(found.size()) == top && !better(candidate, found.back())) continue;
        found.insert(std::upper_bound(found.begin(), found.end(), candidate, better), candidate);
        if (static_cast<int>(found.size()) > top) found.pop_back();
    }
    for (const Found& f : found) {
        draw(f.edges);
        result.best.push_back({f.score, maximal_cliques(graph)});
    }
    return result;
}

}  // namespace chordlearn
