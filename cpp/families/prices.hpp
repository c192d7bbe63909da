#pragma once

#include <cstdint>
#include <utility>
#include <vector>

#include "bounding/cuts.hpp"

namespace chordlearn {

// Whole numbers of units, in which sums and comparisons are exact.
using Units = std::int64_t;

// A cut with its multiplier. To the worth of a set K it adds the multiplier
//     if T is in K, C meets K and j is not in K     (T not empty)
//     if C meets K                                  (T empty; once, the multiplier is taken off)
//     if both ends are in K                         (an edge that is there; once, the multiplier is taken off)
// which is what its coefficients on the parts of K sum to.
struct PricedCut {
    Cut cut;
    Units units = 0;

    bool has_constant() const { return cut.is_edge || cut.apart.size == 0; }
};

// The multipliers of cuts, as one more function of sets of any size.
class Prices {
public:
    Prices() = default;
    // Multipliers are of 1; `scale` units are 1. What is not positive is left out.
    Prices(int n, const std::vector<Cut>& cuts, const std::vector<double>& multipliers, double scale);

    const std::vector<PricedCut>& cuts() const { return cuts_; }
    Units constant() const { return constant_; }  // to be taken off a bound
    Units of(const std::vector<int>& set) const;

private:
    std::vector<PricedCut> cuts_;
    Units constant_ = 0;
};

// What prices come to for a set, while variables come and go.
class PricedWalk {
public:
    PricedWalk(int n, const Prices& prices);

    void push(int variable) { move(variable, 1); }
    void pop(int variable) { move(variable, -1); }
    Units value() const { return value_; }

private:
    struct Term {
        Units units;
        int missing;        // of T, or of the ends of an edge
        bool needs_any;     // of C
        int met = 0;        // of C
        int is_barred = 0;  // j is there

        Units worth() const { return missing > 0 || is_barred || (needs_any && met == 0) ? 0 : units; }
    };
    enum class Role { all, any, with };

    void move(int variable, int step);

    std::vector<Term> terms_;
    std::vector<std::vector<std::pair<std::uint32_t, Role>>> occurrences_;  // by variable
    Units value_ = 0;
};

}  // namespace chordlearn
