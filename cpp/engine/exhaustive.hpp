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

}  // namespace chordlearn
