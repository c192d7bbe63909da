#include "engine/neighbourhood.hpp"

#include <algorithm>

#include "engine/part.hpp"

namespace chordlearn {

namespace {

struct TreeEdge {
    int one, other;
    Set separator;
};

// A maximum-weight spanning tree of the cliques; parts of the graph that do not touch are joined by the empty set.
std::vector<TreeEdge> junction_tree(const std::vector<Set>& cliques, Random& random) {
    const int count = static_cast<int>(cliques.size());
    std::vector<TreeEdge> tree;
    std::vector<int> nearest(count, 0);
    std::vector<bool> inside(count, false);
    inside[0] = true;
    for (int step = 1; step < count; ++step) {
        int best = -1, best_size = -1;
        const int shift = static_cast<int>(random.below(static_cast<std::uint32_t>(count)));
        for (int k = 0; k < count; ++k) {
            const int c = (k + shift) % count;
            if (inside[c]) continue;
            const int common = size(cliques[c] & cliques[nearest[c]]);
            if (common > best_size) best = c, best_size = common;
        }
        inside[best] = true;
        tree.push_back({best, nearest[best], cliques[best] & cliques[nearest[best]]});
        for (int c = 0; c < count; ++c)
            if (!inside[c] && size(cliques[c] & cliques[best]) > size(cliques[c] & cliques[nearest[c]]))
                nearest[c] = best;
    }
    return tree;
}

// The score of the subgraph on a set that a chordal graph induces.
double induced_score(const Graph& graph, Set set, const double* v) {
    Graph induced(graph.size(), 0);
    for_each(set, [&](int i) { induced[i] = graph[i] & set; });
    double score = graph_score(induced, v);
    for (int i = 0; i < static_cast<int>(graph.size()); ++i)
        if (!(set >> i & 1)) score -= v[single(i)];
    return score;
}

}  // namespace

bool improve_neighbourhood(const Instance& instance, Network& network, int most, Random& random, Control& control) {
    const std::vector<Set> cliques = maximal_cliques(network.graph);
    const std::vector<TreeEdge> tree = junction_tree(cliques, random);

    std::vector<bool> inside(cliques.size(), false);
    const int start = static_cast<int>(random.below(static_cast<std::uint32_t>(cliques.size())));
    Set chosen = cliques[start];
    inside[start] = true;
    for (;;) {
        std::vector<int> reachable;
        for (const TreeEdge& edge : tree) {
            if (inside[edge.one] == inside[edge.other]) continue;
            const int next = inside[edge.one] ? edge.other : edge.one;
            if (size(chosen | cliques[next]) <= most) reachable.push_back(next);
        }
        if (reachable.empty()) break;
        const int next = reachable[random.below(static_cast<std::uint32_t>(reachable.size()))];
        inside[next] = true;
        chosen |= cliques[next];
    }
    const int k = size(chosen);
    if (k < 3 || k > most) return false;

    std::vector<int> label;
    std::vector<int> number(instance.n, -1);
    for_each(chosen, [&](int i) {
        number[i] = static_cast<int>(label.size());
        label.push_back(i);
    });
    const auto inner = [&](Set set) {
        Set out = 0;
        for_each(set & chosen, [&](int i) { out |= single(number[i]); });
        return out;
    };
    Instance part;
    part.n = k;
    std::vector<double> values(std::size_t{1} << k);
    std::vector<Set> outer(values.size(), 0);
    for (std::size_t set = 1; set < values.size(); ++set) {
        outer[set] = outer[set & (set - 1)] | single(label[lowest(static_cast<Set>(set))]);
        values[set] = instance.v[outer[set]];
    }
    part.v = values.data();
    part.required.resize(k);
    for (int i = 0; i < k; ++i) part.required[i] = inner(instance.required[label[i]]);
    for (const TreeEdge& edge : tree)
        if (inside[edge.one] != inside[edge.other]) require_complete(part, inner(edge.separator));

    const auto better = improve_part(part, induced_score(network.graph, chosen, instance.v), control);
    if (!better) return false;
    for_each(chosen, [&](int i) { network.graph[i] = (network.graph[i] & ~chosen) | outer[better->graph[number[i]]]; });
    network.score = graph_score(network.graph, instance.v);
    return true;
}

}  // namespace chordlearn
