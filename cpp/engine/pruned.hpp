#pragma once

#include <vector>

#include "engine/chordal.hpp"
#include "engine/states.hpp"

namespace chordlearn {

// The best network among those whose states are all in the list; score −∞ if there is none. When the states are
// those of find_states(), no network that scores more than the relaxation's lower bound is missed.
Network solve_states(const Relaxation& relaxation, const States& states, int threads, Control& control);

struct BestAndSecond {
    Network best;
    double second = kMinusInfinity;  // the score of another network, the best of those; −∞ if there is none
};

// The same, and what the next best network scores if it is among them.
BestAndSecond solve_states_two(const Relaxation& relaxation, const States& states, int threads, Control& control);

// Bytes that solve_states() needs for so many states.
std::uint64_t bytes_for_states(std::uint64_t states);

}  // namespace chordlearn
