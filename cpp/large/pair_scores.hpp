#pragma once

#include <vector>

#include "common/control.hpp"
#include "large/wide_graph.hpp"
#include "scoring/coded_table.hpp"
#include "scoring/score_function.hpp"

namespace chordlearn {

// What an edge between two variables that have no other gains: v({i,j}) − v({i}) − v({j}), for all pairs.
struct PairScores {
    int n = 0;
    std::vector<double> single;  // v({i})
    std::vector<double> gains;   // j < i at i (i − 1) / 2 + j

    double gain(int i, int j) const {
        const std::size_t a = static_cast<std::size_t>(i > j ? i : j), b = static_cast<std::size_t>(i > j ? j : i);
        return gains[a * (a - 1) / 2 + b];
    }
    // Of a variable's best partner: half of the variables gain more.
    double typical_gain() const;
};

PairScores score_pairs(const CodedTable& table, const ScoreOptions& options, int threads, const Control& control);

// Joins the connected parts of the graph by the forest of largest gain (Chow and Liu), without the forbidden edges.
void join_by_best_forest(WideGraph& graph, const PairScores& pairs, const EdgeList& forbidden);

}  // namespace chordlearn
