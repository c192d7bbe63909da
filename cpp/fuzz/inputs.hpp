#pragma once

#include <cstddef>
#include <vector>

#include "engine/chordal.hpp"
#include "engine/instance.hpp"
#include "fuzz/bytes.hpp"
#include "large/wide_graph.hpp"
#include "scoring/coded_table.hpp"
#include "scoring/score_function.hpp"

namespace chordlearn::fuzz {

// From `least_n` to `most_n` variables with one state up to hundreds, rows that repeat, counts of one up to 2^40.
CodedTable table_from(Bytes& bytes, int least_n, int most_n);

// Any score function, with parameters of any magnitude; rarely one that must be refused.
ScoreOptions options_from(Bytes& bytes);

// A finite number: small and whole, so that ties abound, or of any magnitude up to `largest`.
double number_from(Bytes& bytes, double largest);

// Scores of all sets of n variables; −∞ is closed upwards, and the empty set and single variables are finite.
std::vector<double> scores_from(Bytes& bytes, int n, double largest);

EdgeList edges_from(Bytes& bytes, int n, int most);

// Its own scores and the edges that must be there.
struct Problem {
    Problem(Bytes& bytes, int n, double largest);

    std::vector<double> scores;
    Instance instance;
    double magnitude = 0;  // of the largest score

    // What sums of these scores may be off by.
    double rounding() const;
};

bool holds_edges(const Graph& graph, const Instance& instance);
bool has_edge(const Graph& graph, int a, int b);
bool is_complete(const Graph& graph, Set set);

}  // namespace chordlearn::fuzz
