#pragma once

#include <bit>
#include <cstdint>

namespace chordlearn {

// A set of at most 32 variables; bit i stands for variable i.
using Set = std::uint32_t;

inline int size(Set s) { return std::popcount(s); }
inline int lowest(Set s) { return std::countr_zero(s); }
inline Set single(int i) { return Set{1} << i; }
inline Set below(int i) { return i >= 32 ? ~Set{0} : single(i) - 1; }

// Calls f(i) for each element of s, in increasing order.
template <class F>
inline void for_each(Set s, F&& f) {
    for (; s; s &= s - 1) f(lowest(s));
}

}  // namespace chordlearn
