#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>

namespace chordlearn {

// A set of at most 32 variables; bit i stands for variable i.
using Set = std::uint32_t;

inline int size(Set s) { return std::popcount(s); }
inline int lowest(Set s) { return std::countr_zero(s); }
inline Set single(int i) { return Set{1} << i; }
inline Set below(int i) { return i >= 32 ? ~Set{0} : single(i) - 1; }

// The set without bit i, the higher bits moved down.
inline std::size_t squeeze(Set s, int i) { return (s & below(i)) | (static_cast<std::size_t>(s) >> (i + 1) << i); }

// Calls f(i) for each element of s, in increasing order.
template <class F>
inline void for_each(Set s, F&& f) {
    for (; s; s &= s - 1) f(lowest(s));
}

}  // namespace chordlearn
