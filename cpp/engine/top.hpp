#pragma once

#include <vector>

#include "engine/chordal.hpp"
#include "engine/states.hpp"

namespace chordlearn {

// The best networks, at most `count` of them and each once, in falling order, among those whose states are all in
// the list.
std::vector<Network> solve_states_top(const Relaxation& relaxation, const States& states, int count, int threads,
                                      Control& control);

// Bytes that it needs for so many states.
std::uint64_t bytes_for_states_top(std::uint64_t states, int count);

}  // namespace chordlearn
