#pragma once

#include <cstddef>
#include <cstdint>
#include <unordered_map>
#include <utility>
#include <vector>

#include "bounding/cuts.hpp"
#include "bounding/priced_sets.hpp"
#include "bounding/set_index.hpp"
#include "common/control.hpp"

namespace chordlearn {

// Some families, by their child, with the sets that make up their worth: those that hold the child. Families and sets
// have places of their own here.
class CoreFamilies {
public:
    using Place = std::uint32_t;

    CoreFamilies(const PricedSets& sets, const std::vector<std::pair<int, std::size_t>>& families,
                 const Control& control);

    std::size_t sets() const { return members_.size(); }
    const SmallSet& members(Place set) const { return members_[set]; }
    double weight(Place set) const { return weights_[set]; }

    std::size_t families() const { return family_set_.size(); }
    Place first_of(int child) const { return first_family_[static_cast<std::size_t>(child)]; }
    Place end_of(int child) const { return first_family_[static_cast<std::size_t>(child) + 1]; }
    std::size_t number_of(Place family) const { return family_set_[family]; }  // of its set among all
    Place family(int child, std::size_t number) const;                         // one that is here
    const Place* parts_begin(Place family) const { return &parts_[first_part_[family]]; }
    const Place* parts_end(Place family) const { return parts_.data() + first_part_[family + 1]; }
    // The sets that families of a child consist of.
    const std::vector<Place>& sets_of(int child) const { return sets_of_[static_cast<std::size_t>(child)]; }

    struct Term {
        Place set;
        int coefficient;
    };
    // The coefficients of a cut that are not 0.
    std::vector<Term> terms(const Cut& cut) const;

private:
    Place place_of(const PricedSets& sets, const SmallSet& set);

    const SetIndex& index_;
    std::unordered_map<std::size_t, Place> places_;
    std::vector<SmallSet> members_;
    std::vector<double> weights_;
    std::vector<Place> first_family_;
    std::vector<std::size_t> family_set_, first_part_;
    std::vector<Place> parts_;
    std::vector<std::vector<Place>> sets_of_;
    std::vector<std::vector<Place>> holding_;  // all sets with a variable
};

}  // namespace chordlearn
