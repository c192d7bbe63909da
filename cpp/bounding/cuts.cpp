#include "bounding/cuts.hpp"

#include <algorithm>

namespace chordlearn {

int constant_of(const Cut& cut) {
    if (cut.is_edge) return -1;
    return cut.apart.size ? 0 : static_cast<int>(cut.among.size()) - 1;
}

int coefficient_of(const Cut& cut, const SmallSet& set) {
    if (set.size < 2) return 0;
    int apart = 0, rest = 0, last = -1;
    for (const int variable : set) {
        if (apart < cut.apart.size && cut.apart.at[static_cast<std::size_t>(apart)] == variable) {
            ++apart;
        } else if (std::binary_search(cut.among.begin(), cut.among.end(), variable)) {
            ++rest;
            last = variable;
        } else {
            return 0;
        }
    }
    if (apart < cut.apart.size || rest == 0) return 0;
    if (cut.is_edge) return 1;
    if (rest == 1 && last == cut.with) return 0;  // it stands on both sides
    return rest % 2 ? 1 : -1;
}

int family_coefficient_of(const Cut& cut, const SmallSet& family, int child) {
    int apart = 0;
    bool meets = false, child_among = false, child_apart = false, holds_with = false;
    for (const int variable : family) {
        const bool is_child = variable == child;
        if (apart < cut.apart.size && cut.apart.at[static_cast<std::size_t>(apart)] == variable) {
            ++apart;
            child_apart |= is_child;
        } else if (std::binary_search(cut.among.begin(), cut.among.end(), variable)) {
            (is_child ? child_among : meets) = true;
            holds_with |= variable == cut.with;
        }
    }
    if (apart < cut.apart.size) return 0;
    if (cut.is_edge) return child_among && meets;
    // A child in C is the first of its component, or none; a child in T brings the component of the others.
    if (cut.apart.size == 0) return child_among && meets ? -1 : 0;
    const int left = child_among ? !meets : child_apart && meets;
    return left - (holds_with && (child_apart || child == cut.with));
}

}  // namespace chordlearn
