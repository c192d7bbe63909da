#pragma once

#include <cstdint>
#include <vector>

#include "common/control.hpp"
#include "engine/relaxation.hpp"

namespace chordlearn {

// The states (C,U) of the drop/add/split program that may belong to a network better than the relaxation's
// lower bound: C is complete, and U ∌ root is hung below it, apart from the others.
struct States {
    struct Clique {
        Set set = 0;
        std::vector<Set> hung;  // the U of each state, by size, then by value
    };
    int root = 0;
    std::vector<Clique> cliques;  // by size of the set, then by the set
    std::uint64_t count = 0;
    bool complete = true;  // false when more than `most` states were found; then the list is useless
};

// The variable that lies in most kept sets.
int choose_root(const Relaxation& relaxation);

// `tied[i]`: the variables that are adjacent to i in every network looked for, so that U never parts them outside C;
// the required ones are, and edges known to be forced may be added.
States find_states(const Relaxation& relaxation, int root, const std::vector<Set>& tied, std::uint64_t most,
                   const Control& control);

}  // namespace chordlearn
