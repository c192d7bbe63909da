#pragma once

#include <cstdint>
#include <limits>
#include <unordered_map>
#include <utility>
#include <vector>

#include "bounding/cuts.hpp"
#include "bounding/set_index.hpp"
#include "common/control.hpp"

namespace chordlearn {

// The worth of sets under multipliers of cuts, and the bound that follows.
//
// A chordal graph scores sum of v({i}) + sum of m(S) over its complete sets S of two variables or more, m being the
// Moebius weights of the scores. Adding a multiplier times the left side of each cut, which is never negative for a
// chordal graph, turns weights into prices. Along an elimination order a network is a family for each variable: the
// variable, its child, with the neighbours before it. A family is worth the prices of those of its sets that hold the
// child, so that no network scores more than the constants and the best family of each variable together.
//
// Scores are rounded to whole units once; everything after that is exact, so that the bound holds whatever the
// multipliers are. What the rounding may cost a network is added.
class PricedSets {
public:
    // scores: by number, -inf for sets that may not be complete (closed upwards). Every call may throw Stopped once the
    // control, which must outlive this, is stopped.
    PricedSets(const SetIndex& index, const std::vector<double>& scores, const Control& control = unwatched());

    // From now on another control may stop the calls.
    void watched_by(const Control& control) { control_ = &control; }

    const SetIndex& index() const { return index_; }
    double independent() const { return independent_; }  // score of the network without edges
    double least_score() const { return least_score_; }  // no network scores less
    double error() const { return error_; }              // by which rounding may raise bounds
    double weight(std::size_t number) const { return static_cast<double>(weights_[number]) / scale_; }
    double family_weight(const SmallSet& family, int child) const;  // 0 for one that is excluded
    bool is_excluded(std::size_t number) const { return number == SetIndex::kNone || weights_[number] == kExcluded; }
    std::size_t left() const { return left_; }

    // The place of a cut, which is added unless it is known.
    std::size_t place_of(const Cut& cut);
    const Cut& cut(std::size_t place) const { return cuts_.at(place); }

    // The bound with these multipliers of cuts.
    double price(const std::vector<std::pair<std::size_t, double>>& multipliers);

    struct Family {
        int child;
        std::size_t set;
        double worth;
    };
    // By the last prices: for each variable the families worth more than its share, the dearest first.
    std::vector<Family> families_above(const std::vector<double>& shares, std::size_t most) const;

    // By the last prices: what the best family of each variable is worth.
    std::vector<double> best_worths() const;

    // By the last prices: excludes for good every set with which no network scores `lower` or more. Returns how many.
    std::size_t exclude_below(double lower);

    // The edges that are not there in the following prices.
    void close(std::vector<std::size_t> edges) { closed_ = std::move(edges); }

private:
    using Units = std::int64_t;
    // Before there are prices, and while they are made: nothing can be excluded by them.
    static constexpr __int128 kUnpriced = static_cast<__int128>(1) << 122;
    static constexpr Units kExcluded = std::numeric_limits<Units>::min();

    // A set that is not excluded, and the same without one variable.
    struct Step {
        std::uint32_t set, part;
    };

    void round(const std::vector<double>& scores);
    void list_steps();
    double least_of_families();
    void close_edges();
    void add_edge(const Cut& cut, Units units);
    void add_cuts(std::vector<std::pair<std::size_t, Units>> cuts);
    void add_cuts_around(const SmallSet& apart, const std::vector<std::pair<std::size_t, Units>>& cuts);
    template <class F>
    void for_each_family(std::size_t child, F&& f) const;

    SetIndex index_;
    const Control* control_;
    double scale_ = 1;  // units in 1
    double error_ = 0;  // by which rounding may change a network's score
    double independent_ = 0;
    double least_score_ = 0;
    std::vector<Units> values_;      // scores, less those of the variables
    std::vector<Units> weights_;     // their Moebius weights
    std::vector<Units> worths_;      // of a set with all its parts
    std::vector<Units> best_worth_;  // of each variable's families
    __int128 bound_ = kUnpriced;
    std::size_t left_ = 0;
    // By variable. Sums over all parts of a set are taken variable by variable: to what the set has comes what it has
    // without the variable.
    std::vector<std::vector<Step>> steps_;
    std::vector<std::size_t> closed_;
    std::vector<Cut> cuts_;
    std::unordered_multimap<std::uint64_t, std::size_t> places_;
};

}  // namespace chordlearn
