#pragma once

#include <algorithm>
#include <cstdint>
#include <optional>
#include <vector>

#include "common/control.hpp"
#include "families/family_bounds.hpp"
#include "families/prices.hpp"

namespace chordlearn {

// The sets that may be complete in a network that scores more than some lower score, of any size. With each set come
// all its parts.
class LeftSets {
public:
    // None if they are more than `most`.
    static std::optional<LeftSets> of(const FamilyBounds& bounds, double lower, std::size_t most, int threads,
                                      Control& control);

    // Excludes by what the families of these sets are worth at most, until nothing changes.
    void shrink(const Control& control);
    // The same with other multipliers.
    void price(const std::vector<Cut>& cuts, const std::vector<double>& multipliers, const Control& control);
    // From now on networks must score more than this, if that is more.
    void raise(double lower) { lower_ = std::max(lower_, lower); }

    // No network scores more than this or than the lower score.
    double bound() const { return bound_; }
    std::size_t count() const { return ends_.size() - 1; }  // without the empty set
    // Sets of one variable or more, by their place below count().
    std::vector<int> set(std::size_t place) const;
    int largest() const;
    int n() const { return n_; }
    // Of all sets: the members of one after those of the other, where they end, and the scores.
    const std::vector<std::uint16_t>& members() const { return members_; }
    std::vector<std::size_t> ends() const { return {ends_.begin() + 1, ends_.end()}; }
    std::vector<double> scores() const;

private:
    LeftSets(const FamilyBounds& bounds, double lower);

    void find_parts(const Control& control);
    __int128 lower_in_units() const;
    std::size_t begin(std::size_t set) const { return set ? ends_[set - 1] : 0; }

    double scale_, error_;
    int n_;
    double lower_;
    double bound_;
    Prices prices_;
    // By set, the empty one first: its members, the sets that lack one of them, its score and its worth.
    std::vector<std::size_t> ends_{0};
    std::vector<std::uint16_t> members_;
    std::vector<std::uint32_t> parts_;
    std::vector<Units> scores_{0}, worths_{0};
};

}  // namespace chordlearn
