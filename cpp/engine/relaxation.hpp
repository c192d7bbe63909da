#pragma once

#include <cstdint>
#include <vector>

#include "common/control.hpp"
#include "engine/instance.hpp"

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

    // What tighten() removed at one lower bound may be needed again at a smaller one.
    std::vector<std::uint8_t> snapshot() const { return kept_; }
    void restore(const std::vector<std::uint8_t>& kept);

    bool keeps(Set set) const { return kept_[set]; }
    std::uint64_t kept() const { return kept_count_; }       // non-empty sets kept
    std::uint64_t allowed() const { return allowed_count_; }  // non-empty sets allowed by scores and constraints
    std::vector<Set> kept_sets() const;

    // No network scores more than max(lower(), bound()).
    double bound() const { return bound_; }
    double lower() const { return lower_; }

    // No network in which the set is complete scores more than max(lower, bound_with(set)).
    double bound_with(Set set) const;

    // Steps that a network loses at least when `set` is complete and comes first.
    int loss_of(Set set) const;
    // Losing more than this many steps means scoring at most `lower`.
    int budget() const { return budget_; }
    double step() const { return step_; }
    double best_sum(Set set) const;
    double slack() const { return slack_; }  // what sums of kept scores may be off by, generously

    const Steps* forward() const { return forward_.data(); }    // least loss of a DAG on the set alone
    const Steps* backward() const { return backward_.data(); }  // least loss of the others, the set coming first

    const Instance& instance() const { return instance_; }
    int threads() const { return threads_; }

private:
    void find_best();
    void fill_losses(int i);
    void run_forward();
    void run_backward();
    std::uint64_t drop_sets();

    Instance instance_;
    int threads_;
    std::vector<std::uint8_t> kept_;
    std::uint64_t allowed_count_ = 0, kept_count_ = 0;
    std::vector<double> best_;                            // max_P w(i,P)
    std::vector<std::vector<Steps>> least_;               // least_[i][U without bit i] = min loss of (i,P), P ⊆ U
    std::vector<Steps> forward_, backward_;
    double lower_ = kMinusInfinity, bound_ = 0, best_total_ = 0, step_ = 1, slack_ = 0;
    int budget_ = 0;
};

}  // namespace chordlearn
