#pragma once

#include <cstdint>

#include "engine/chordal.hpp"
#include "engine/relaxation.hpp"

namespace chordlearn {

struct DenseResult {
    Network network;      // score −∞ if there is none
    double bound = 0;     // no network made of kept sets scores more
    double rounding = 0;  // by how much the fixed-point scores of a network may be off
};

// The drop/add/split program over all states, in 32-bit fixed point: the work depends on n alone, not on the
// scores. Networks within the rounding error of the best are compared in double precision afterwards.
// Needs at least 4 variables and a relaxation that has been tightened.
DenseResult solve_dense(const Relaxation& relaxation, int root, int threads, Control& control);

std::uint64_t bytes_for_dense(int n);

}  // namespace chordlearn
