#pragma once

#include <cstdint>
#include <limits>
#include <unordered_map>
#include <utility>
#include <vector>

#include "bounding/cuts.hpp"
#include "bounding/set_index.hpp"

namespace chordlearn {

// The value of each set under multipliers of cuts, and the bound that follows.
//
// A chordal graph scores sum of v({i}) + sum of m(S) over its complete sets S of two variables or more, m being the
// Moebius weights of the scores. Adding a multiplier times the left side of each cut, which is never negative for a
// chordal graph, turns the weights into prices and gives the bound: constant + sum of the positive prices. As a set is
// complete only if its subsets are, price may also be moved from a set to one with an element less.
//
// Scores are rounded to whole units once; everything after that is exact, so that the bound holds whatever the
// multipliers are. What the rounding may cost a network is added.
class PricedSets {
public:
    // scores: by number, -inf for sets that may not be complete (closed upwards); required: numbers of edges.
    PricedSets(const SetIndex& index, const std::vector<double>& scores, const std::vector<std::size_t>& required);

    const SetIndex& index() const { return index_; }
    double weight(std::size_t number) const { return static_cast<double>(weights_[number]) / scale_; }
    bool is_excluded(std::size_t number) const { return weights_[number] == kExcluded; }
    std::size_t left() const { return left_; }
    double independent() const { return independent_; }

    // The place of a cut, which is added unless it is known.
    std::size_t place_of(const Cut& cut);
    const Cut& cut(std::size_t place) const { return cuts_[place]; }
    std::size_t cuts() const { return cuts_.size(); }

    struct Facet {
        std::size_t set, part;
        double multiplier;
    };
    // The bound with these multipliers of the cuts, and price moved from sets to parts.
    double price(const std::vector<std::pair<std::size_t, double>>& multipliers, const std::vector<Facet>& facets);

    // The sets of positive price, the largest prices first.
    std::vector<std::size_t> positive(std::size_t most) const;

    // By the last prices: excludes for good every set with which no network scores `lower` or more. Returns how many.
    std::size_t exclude_below(double lower);

    // Whether an edge is there (1), not there (-1) or free (0) in the following prices.
    void fix(std::size_t edge, int state);

private:
    using Units = std::int64_t;
    static constexpr Units kExcluded = std::numeric_limits<Units>::min();

    void weigh(const std::vector<double>& scores);
    void close_edges();
    void move_down();
    template <class F>
    void for_each_superset(std::size_t edge, F&& f) const;
    bool is_there(std::size_t edge) const;

    SetIndex index_;
    double scale_ = 1;        // units in 1
    double error_ = 0;        // by which rounding may change a network's score
    double independent_ = 0;  // score of the network without edges
    std::vector<Units> weights_, prices_;
    std::vector<std::pair<std::size_t, int>> fixed_;
    Units bound_ = 0;
    std::size_t left_ = 0;
    std::vector<Cut> cuts_;
    std::unordered_multimap<std::uint64_t, std::size_t> places_;
};

}  // namespace chordlearn
