#pragma once

#include <cstdint>
#include <utility>
#include <vector>

#include "common/control.hpp"
#include "engine/chordal.hpp"

namespace chordlearn {

struct Ranked {
    double score;
    std::vector<Set> cliques;
};

struct ExhaustiveResult {
    std::uint64_t chordal_graphs = 0;  // all on n labelled vertices, whatever the constraints
    std::vector<Ranked> best;          // the `top` best allowed networks, in falling order
};

// Looks at every graph on n vertices; ties go to the graph that comes first.
ExhaustiveResult solve_exhaustive(const Instance& instance, int top, const Control& control);

// Of the allowed networks that score at least so much, the one with the fewest edges; among those the one whose
// sorted list of edges comes first. Without cliques if there is none.
Ranked simplest_exhaustive(const Instance& instance, double least, const Control& control);

}  // namespace chordlearn
