#include "engine/chordal.hpp"

#include <algorithm>

#include "scoring/sum.hpp"

namespace chordlearn {

namespace {

bool is_complete(const Graph& graph, Set s) {
    for (Set rest = s; rest; rest &= rest - 1)
        if (s & ~graph[lowest(rest)] & ~(rest & -rest)) return false;
    return true;
}

// Removes simplicial vertices one by one, calling f(vertex, neighbours left). False if none is left to remove.
template <class F>
bool eliminate(const Graph& graph, F&& f) {
    Set left = below(static_cast<int>(graph.size()));
    while (left) {
        bool removed = false;
        for (Set rest = left; rest; rest &= rest - 1) {
            const int i = lowest(rest);
            const Set neighbours = graph[i] & left;
            if (!is_complete(graph, neighbours)) continue;
            f(i, neighbours);
            left &= ~single(i);
            removed = true;
        }
        if (!removed) return false;
    }
    return true;
}

}  // namespace

bool is_chordal(const Graph& graph) {
    return eliminate(graph, [](int, Set) {});
}

double graph_score(const Graph& graph, const double* v) {
    Sum sum;
    bool allowed = true;
    eliminate(graph, [&](int i, Set neighbours) {
        const double family = v[neighbours | single(i)];
        allowed = allowed && family != kMinusInfinity;
        sum.add(family);
        sum.add(-v[neighbours]);
    });
    return allowed ? sum.value() : kMinusInfinity;
}

std::vector<Set> maximal_cliques(const Graph& graph) {
    std::vector<Set> cliques;
    eliminate(graph, [&](int i, Set neighbours) {
        const Set clique = neighbours | single(i);
        const bool covered =
            std::any_of(cliques.begin(), cliques.end(), [&](Set other) { return (clique & ~other) == 0; });
        if (!covered) cliques.push_back(clique);
    });
    std::sort(cliques.begin(), cliques.end());
    return cliques;
}

Graph graph_of_cliques(int n, const std::vector<Set>& cliques) {
    Graph graph(n, 0);
    for (Set clique : cliques) for_each(clique, [&](int i) { graph[i] |= clique & ~single(i); });
    return graph;
}

}  // namespace chordlearn
