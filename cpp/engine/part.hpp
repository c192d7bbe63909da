#pragma once

#include <optional>

#include "common/control.hpp"
#include "engine/chordal.hpp"

namespace chordlearn {

// A graph on few variables that scores more than `score`, the best one that the instance allows; nothing if there is
// none, or if finding it would take too many states.
std::optional<Network> improve_part(const Instance& part, double score, Control& control);

// Makes the members of a set, in the numbers of the part, required neighbours of each other.
void require_complete(Instance& part, Set set);

}  // namespace chordlearn
