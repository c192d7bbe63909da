#pragma once

#include <cstdint>
#include <vector>

#include "bounding/set_index.hpp"

namespace chordlearn {

// What every chordal graph satisfies. With x_S = 1 if S is complete, else 0, the complete sets inside C have the Euler
// characteristic sum over S of (-1)^(|S|+1) x_S, and in a chordal graph that is the number of connected components of
// the graph on C: at least 1. The common neighbours of a complete set T again have a chordal graph, so that
//     sum over non-empty S in C of (-1)^(|S|+1) x_(T+S)  >=  x_(T+j)   for each j in C,
// with 1 on the right where T is empty. (If T + j is complete, there is a component to count.)
struct Cut {
    SmallSet apart;                     // T
    std::vector<std::uint16_t> among;   // C, increasing, without T
    int with = -1;                      // j; -1 where T is empty

    bool operator==(const Cut& other) const {
        return apart == other.apart && among == other.among && with == other.with;
    }
};

// A cut says: constant + sum of coefficient * x_S >= 0, over sets S of two variables or more.
int constant_of(const Cut& cut);
int coefficient_of(const Cut& cut, const SmallSet& set);

// Calls f(number of S, coefficient) for all coefficients but 0.
template <class F>
void for_each_term(const Cut& cut, const SetIndex& index, F&& f) {
    const int most = index.largest() - cut.apart.size;
    SmallSet chosen;
    const auto walk = [&](const auto& again, std::size_t from) -> void {
        for (std::size_t i = from; i < cut.among.size(); ++i) {
            chosen.push(cut.among[i]);
            const SmallSet set = cut.apart.joined(chosen);
            if (const int coefficient = coefficient_of(cut, set)) f(index.number(set), coefficient);
            if (chosen.size < most) again(again, i + 1);
            --chosen.size;
        }
    };
    if (most > 0) walk(walk, 0);
}

struct Support {
    std::vector<SmallSet> sets;  // two variables or more
    std::vector<double> values;
};

// Cuts that a point violates: for each small complete T, sets C grown from each variable by what lowers the left side most.
std::vector<Cut> violated_cuts(const Support& support, const SetIndex& index, double tolerance, std::uint64_t seed);

}  // namespace chordlearn
