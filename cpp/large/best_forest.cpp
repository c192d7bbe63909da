#include "large/best_forest.hpp"

#include <algorithm>
#include <numeric>
#include <set>

namespace chordlearn {

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
