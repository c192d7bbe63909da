#pragma once

#include <cstddef>
#include <vector>

#include "bounding/cuts.hpp"
#include "bounding/set_index.hpp"
#include "common/control.hpp"

namespace chordlearn {

// A value between 0 and 1 for each of some sets of two variables or more; the others are at 0.
struct Point {
    std::vector<SmallSet> sets;
    std::vector<double> values;
};

// Cuts that a point violates by more than the tolerance, at most so many, those whose plane is farthest first: sets
// more complete than their parts; parts of the graph that its dearest edges connect one after the other; and for each
// small T, sets C grown from each variable by what lowers the left side most.
std::vector<Cut> violated_cuts(const Point& point, const SetIndex& index, double tolerance, std::size_t most,
                               const Control& control = unwatched());

}  // namespace chordlearn
