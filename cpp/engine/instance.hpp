#pragma once

#include <limits>
#include <utility>
#include <vector>

#include "common/bits.hpp"

namespace chordlearn {

inline constexpr double kMinusInfinity = -std::numeric_limits<double>::infinity();

// The learning problem as the engine sees it. Sets with v = −∞ may not be complete; they are closed upwards.
struct Instance {
    int n = 0;
    const double* v = nullptr;  // 2^n scores by set
    std::vector<Set> required;  // required[i]: the variables that must be adjacent to i

    Set all() const { return below(n); }
    bool allowed(Set s) const { return v[s] != kMinusInfinity; }
};

}  // namespace chordlearn
