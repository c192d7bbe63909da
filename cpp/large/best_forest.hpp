#pragma once

#include "large/pair_scores.hpp"
#include "large/wide_graph.hpp"

namespace chordlearn {

// Joins the connected parts of the graph by the forest of largest gain (Chow and Liu), without the forbidden edges.
void join_by_best_forest(WideGraph& graph, const PairScores& pairs, const EdgeList& forbidden);

}  // namespace chordlearn
