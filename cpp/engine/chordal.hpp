#pragma once

#include <vector>

#include "engine/instance.hpp"

namespace chordlearn {

// An undirected graph: the neighbours of each vertex.
using Graph = std::vector<Set>;

struct Network {
    double score = kMinusInfinity;
    Graph graph;
};

bool is_chordal(const Graph& graph);

// Sum of v over cliques minus separators, along a perfect elimination order, as if rounded once; −∞ if a set may not
// be complete. The graph must be chordal.
double graph_score(const Graph& graph, const double* v);

// Maximal cliques of a chordal graph, sorted.
std::vector<Set> maximal_cliques(const Graph& graph);

Graph graph_of_cliques(int n, const std::vector<Set>& cliques);

}  // namespace chordlearn
