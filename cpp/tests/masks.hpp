#pragma once

#include "bounding/set_index.hpp"
#include "common/bits.hpp"

namespace chordlearn {

// The same set in both forms.
inline Set mask_of(const SmallSet& set) {
    Set mask = 0;
    for (const int i : set) mask |= single(i);
    return mask;
}

inline SmallSet set_of(Set mask) {
    SmallSet set;
    for_each(mask, [&](int i) { set.push(i); });
    return set;
}

}  // namespace chordlearn
