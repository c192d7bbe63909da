#pragma once

#include <cstdint>
#include <vector>

#include "bounding/set_index.hpp"

namespace chordlearn {

// What every chordal graph satisfies, as: constant + sum of coefficient * x_S >= 0, where x_S = 1 if S is complete.
//
// The complete sets inside C have the Euler characteristic sum over S of (-1)^(|S|+1) x_S, and in a chordal graph that
// is the number of connected components of the graph on C: at least 1. The common neighbours of a complete set T again
// have a chordal graph, so that
//     sum over non-empty S in C of (-1)^(|S|+1) x_(T+S)  >=  x_(T+j)   for each j in C,
// with 1 on the right where T is empty. With C = {t, j} this says that T + t is complete if T + t + j is.
//
// A cut of the other kind says that an edge is there: x_C >= 1.
struct Cut {
    SmallSet apart;                    // T
    std::vector<std::uint16_t> among;  // C, increasing, without T
    int with = -1;                     // j; -1 where T is empty
    bool is_edge = false;

    bool operator==(const Cut& other) const {
        return apart == other.apart && among == other.among && with == other.with && is_edge == other.is_edge;
    }
};

int constant_of(const Cut& cut);
int coefficient_of(const Cut& cut, const SmallSet& set);

// The coefficients of all sets that hold `child` and else only members of `family`, together.
int family_coefficient_of(const Cut& cut, const SmallSet& family, int child);

// Calls f(number of S, coefficient) for all coefficients but 0, over sets of two variables or more.
template <class F>
void for_each_term(const Cut& cut, const SetIndex& index, F&& f) {
    const int most = index.largest() - cut.apart.size;
    SmallSet chosen;
    const auto walk = [&](const auto& again, std::size_t from) -> void {
        for (std::size_t i = from; i < cut.among.size(); ++i) {
            chosen.push(cut.among[i]);
            const SmallSet set = cut.apart.joined(chosen);
            const std::size_t number = index.number(set);
            if (number != SetIndex::kNone) {
                if (const int coefficient = coefficient_of(cut, set)) f(number, coefficient);
                if (chosen.size < most) again(again, i + 1);
            }
            --chosen.size;
        }
    };
    if (most > 0) walk(walk, 0);
}

}  // namespace chordlearn
