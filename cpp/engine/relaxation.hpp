#pragma once

#include <algorithm>
#include <cstdint>
#include <utility>
#include <vector>

#include "common/control.hpp"
#include "engine/instance.hpp"
#include "engine/lagrange.hpp"

namespace chordlearn {

// A number of steps of the relaxation's grid; kNever stands for "more than any network may lose".
using Steps = std::uint16_t;
inline constexpr Steps kNever = 32767;

// The DAG relaxation: along a perfect elimination order each variable i has a complete parent set P and
// contributes w(i,P) = v(P∪i) − v(P). Without the demand that P be complete, dynamic programs over all sets
// bound every network in which a given set is complete.
//
// All is kept as losses: the loss of (i,P) is max_P' w(i,P') − w(i,P), cut down to a grid of 16-bit steps.
// Cutting down makes a loss smaller, so whatever the relaxation excludes is excluded for the real scores too,
// and sums of steps are exact.
class Relaxation {
public:
    Relaxation(const Instance& instance, int threads);

    static std::uint64_t bytes_needed(int n);

    // Keeps only the sets that may be complete in a network that scores more than `lower`; to a fixpoint, or
    // until a round removes too little to be worth the next. Returns the number of rounds.
    int tighten(double lower, Control& control);

    // The same with local scores changed by multipliers, which so many iterations make as good as they can. Costs
    // most of a round for each, and never leaves a larger bound. Later calls of tighten() use the multipliers too.
    int tighten_lagrangian(double lower, int iterations, Control& control);

    // What tighten() removed at one lower bound may be needed again at a smaller one.
    std::vector<std::uint8_t> snapshot() const { return kept_; }
    void restore(const std::vector<std::uint8_t>& kept);

    bool keeps(Set set) const { return kept_[set]; }
    std::uint64_t kept() const { return kept_count_; }        // non-empty sets kept
    std::uint64_t allowed() const { return allowed_count_; }  // non-empty sets allowed by scores and constraints
    std::vector<Set> kept_sets() const;

    // No network scores more than max(lower(), bound()).
    double bound() const { return bound_; }
    double lower() const { return lower_; }

    // No network in which the set is complete scores more than max(lower, bound_with(set)).
    double bound_with(Set set) const;

    // No network without an edge between a and b scores more than max(lower, bound_without(a, b)).
    double bound_without(int a, int b) const;
    // Those of the pairs that are edges of every network scoring more than lower(), in the given order.
    std::vector<std::pair<int, int>> forced_edges(const std::vector<std::pair<int, int>>& pairs,
                                                  const Control& control) const;

    // Steps that a network loses at least when `set` is complete and comes first.
    int loss_of(Set set) const;
    // Losing more than this many steps means scoring at most `lower`.
    int budget() const { return budget_; }
    double step() const { return step_; }
    double best_sum(Set set) const;
    const std::vector<double>& best_parts() const { return best_; }  // max_P w(i,P) over the sets kept, by i
    // v(C) with what the multipliers change for a kept set C that is complete and comes first. A network stays the
    // same whatever the order within C, so the order that changes least (or takes most) may be chosen.
    double first_score(Set set) const {
        return multipliers_.zero() ? instance_.v[set] : instance_.v[set] + multipliers_.unit() * first_change_[set];
    }
    double slack() const { return slack_; }  // what sums of kept scores may be off by, generously

    const Steps* forward() const { return forward_.data(); }    // least loss of a DAG on the set alone
    const Steps* backward() const { return backward_.data(); }  // least loss of the others, the set coming first

    // Steps that hanging u below the complete set c loses at least.
    int hanging_loss(Set c, Set u) const {
        return std::max({0, forward_[c | u] - forward_[c], backward_[c] - backward_[c | u]});
    }

    const Instance& instance() const { return instance_; }
    int threads() const { return threads_; }

private:
    void find_best();
    void find_changed_best();
    // w̃ of i with the rest of the set as its parents.
    double changed_score(int i, Set set, Multipliers::Units change) const {
        return instance_.v[set] - instance_.v[set & ~single(i)] + multipliers_.unit() * change;
    }
    void fill_losses(const Control& control);
    void fill_plain_losses(int i);
    void find_first_changes();
    void run_forward();
    void run_backward();
    // All of it over the kept sets; only the backward program unless `both`. False, with no set kept, when not even
    // the sum of the best parts scores more than lower().
    bool run_programs(const Control& control, bool both);
    void remove_sets();

    Steps least(int i, Set before) const { return least_[i][squeeze(before, i)]; }
    std::vector<Set> best_parents() const;  // of a DAG that loses backward()[∅]
    int loss_without(int a, int b) const;

    Instance instance_;
    int threads_;
    Multipliers multipliers_;
    std::vector<Multipliers::Units> first_change_;  // by set, where there are multipliers
    std::vector<std::uint8_t> kept_;
    std::uint64_t allowed_count_ = 0, kept_count_ = 0;
    std::vector<double> best_;               // max_P w(i,P)
    std::vector<std::vector<Steps>> least_;  // least_[i][U without bit i] = min loss of (i,P), P ⊆ U
    std::vector<Steps> forward_, backward_;
    double lower_ = kMinusInfinity, bound_ = 0, best_total_ = 0, step_ = 1, slack_ = 0;
    int budget_ = 0;
};

}  // namespace chordlearn
