#pragma once

#include "engine/chordal.hpp"
#include "engine/states.hpp"

namespace chordlearn {

// Which scores count as equal, of networks and of their parts.
struct Equality {
    double part;  // parts that differ by no more are equal
    double near;  // networks that differ by more are not, whatever adds up
};

struct Simplest {
    Network network;      // score −∞ if there is none
    bool certain = true;  // false if a simpler part was left out for a difference between the two
};

// Among the best networks whose states are all in the list, the one with the fewest edges; among those the one whose
// sorted list of edges comes first. What it loses to the best is at most equality.part for each of its states, of
// which there are at most 4n.
Simplest solve_states_simplest(const Relaxation& relaxation, const States& states, Equality equality, int threads,
                               Control& control);

}  // namespace chordlearn
