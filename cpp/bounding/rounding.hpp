#pragma once

#include <utility>
#include <vector>

#include "bounding/priced_sets.hpp"
#include "bounding/separation.hpp"
#include "common/control.hpp"

namespace chordlearn {

using VertexPairs = std::vector<std::pair<int, int>>;

// A chordal graph near a point: the dearest edges first, as long as it stays chordal, and then whatever addition,
// removal or exchange of edges of the point betters its score. Sets that are excluded are not complete in it. Keeps the
// required edges if they come to be.
VertexPairs network_near(const Point& point, const PricedSets& sets, const VertexPairs& required,
                         const Control& control);

}  // namespace chordlearn
