#pragma once

#include "common/control.hpp"
#include "common/random.hpp"
#include "engine/chordal.hpp"

namespace chordlearn {

// Takes a connected part of the junction tree with at most `most` variables and puts the best chordal graph on them
// in its place. The separators towards the rest stay complete, so the whole stays chordal. True if the score rose.
bool improve_neighbourhood(const Instance& instance, Network& network, int most, Random& random, Control& control);

}  // namespace chordlearn
