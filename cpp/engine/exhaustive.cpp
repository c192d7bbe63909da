#include "engine/exhaustive.hpp"

#include <algorithm>
#include <optional>

#include "engine/edge_key.hpp"

namespace chordlearn {

namespace {

// Calls f(graph, score) for each chordal graph that is allowed, and returns how many chordal graphs there are.
template <class F>
std::uint64_t visit_networks(const Instance& instance, const Control& control, F&& f) {
    const int n = instance.n;
    std::vector<std::pair<int, int>> pairs;
    std::uint64_t required = 0;
    for (int b = 1; b < n; ++b)
        for (int a = 0; a < b; ++a) {
            if (instance.required[a] >> b & 1) required |= std::uint64_t{1} << pairs.size();
            pairs.emplace_back(a, b);
        }

    Graph graph(n);
    std::uint64_t chordal = 0;
    const std::uint64_t graphs = std::uint64_t{1} << pairs.size();
    for (std::uint64_t edges = 0; edges < graphs; ++edges) {
        if ((edges & 0xfff) == 0) control.check();
        std::fill(graph.begin(), graph.end(), 0);
        for (std::uint64_t rest = edges; rest; rest &= rest - 1) {
            const auto [a, b] = pairs[std::countr_zero(rest)];
            graph[a] |= single(b);
            graph[b] |= single(a);
        }
        if (!is_chordal(graph)) continue;
        ++chordal;
        if (required & ~edges) continue;
        const auto cliques = maximal_cliques(graph);
        if (!std::all_of(cliques.begin(), cliques.end(), [&](Set c) { return instance.allowed(c); })) continue;
        f(graph, graph_score(graph, instance.v));
    }
    return chordal;
}

EdgeKey key_of(const Graph& graph) {
    EdgeKey key;
    for (int a = 0; a < static_cast<int>(graph.size()); ++a) for_each(graph[a], [&](int b) { key.add(a, b); });
    return key;
}

}  // namespace

ExhaustiveResult solve_exhaustive(const Instance& instance, int top, const Control& control) {
    std::vector<Network> found;
    const auto better = [](const Network& x, const Network& y) { return x.score > y.score; };
    ExhaustiveResult result;
    result.chordal_graphs = visit_networks(instance, control, [&](const Graph& graph, double score) {
        if (static_cast<int>(found.size()) == top && !(score > found.back().score)) return;
        Network network{score, graph};
        found.insert(std::upper_bound(found.begin(), found.end(), network, better), network);
        if (static_cast<int>(found.size()) > top) found.pop_back();
    });
    for (const Network& network : found) result.best.push_back({network.score, maximal_cliques(network.graph)});
    return result;
}

Ranked simplest_exhaustive(const Instance& instance, double least, const Control& control) {
    std::optional<EdgeKey> best;
    Ranked simplest{kMinusInfinity, {}};
    visit_networks(instance, control, [&](const Graph& graph, double score) {
        if (score < least) return;
        const EdgeKey key = key_of(graph);
        if (best && (key.count() != best->count() ? key.count() > best->count() : key < *best)) return;
        best = key;
        simplest = {score, maximal_cliques(graph)};
    });
    return simplest;
}

}  // namespace chordlearn
