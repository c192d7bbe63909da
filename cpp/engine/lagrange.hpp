#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "common/bits.hpp"

namespace chordlearn {

// Multipliers λ(x,yz) ≥ 0 for the demands that two parents y, z of x be adjacent: [y,z ∈ P_x] ≤ [yz is an edge].
// They change the local scores to
//   w̃(x,P) = w(x,P) − Σ_{yz ⊆ P} λ(x,yz) + Σ_{y ∈ P} Λ(xy),   Λ(xy) = Σ_t λ(t,xy):
// x pays for each pair of its parents, and each arc earns what is paid for its two ends. Where all parent sets
// are complete, every payment for a pair is earned by its edge, so
//   Σ w̃(x,P_x) = score + Σ_{x, edges yz} λ(x,yz) (1 − [y,z ∈ P_x]) ≥ score,
// and a bound on the changed total bounds the score.
//
// They are kept as whole numbers of a unit that is a power of two; the sum of all of them fits into 30 bits, so
// that every sum of some of them is exact.
class Multipliers {
public:
    using Units = std::int32_t;

    explicit Multipliers(int n) : n_(n) {}

    // values[place(x, y, z)], y < z, are the multipliers wanted; they are rounded to units.
    void set(const std::vector<double>& values);
    std::size_t place(int x, int y, int z) const { return (static_cast<std::size_t>(x) * n_ + y) * n_ + z; }

    bool zero() const { return pay_.empty(); }
    double unit() const { return unit_; }
    double total() const { return total_; }  // of all multipliers; no change of a sum of local scores is larger

    // Calls f(C, change) for every kept set C whose lowest variable is `first`, with w̃(x,C∖x) = w(x,C∖x) +
    // change[x] units for x ∈ C. All subsets of C that have this lowest variable come before C.
    template <class F>
    void visit(const std::vector<std::uint8_t>& kept, int first, F&& f) const {
        if (!kept[single(first)]) return;
        std::vector<Units> rows(static_cast<std::size_t>(n_) * n_);
        for (int x = 0; x < n_; ++x) rows[x] = earn_[first * n_ + x];
        descend(kept, single(first), rows.data(), f);
    }

private:
    template <class F>
    void descend(const std::vector<std::uint8_t>& kept, Set set, Units* row, F&& f) const {
        f(set, static_cast<const Units*>(row));
        // Larger variables first: C without any of its variables then comes before C.
        for (int next = n_ - 1; set >> next == 0; --next) {
            if (!kept[set | single(next)]) continue;
            Units* longer = row + n_;
            const Units* earned = earn_.data() + next * n_;
            for (int x = 0; x < n_; ++x) longer[x] = row[x] + earned[x];
            for_each(set, [&](int y) {
                const Units* paid = pay_.data() + (y * n_ + next) * n_;
                for (int x = 0; x < n_; ++x) longer[x] -= paid[x];
            });
            descend(kept, set | single(next), longer, f);
        }
    }

    int n_;
    double unit_ = 0, total_ = 0;
    std::vector<Units> pay_;   // λ(x,yz) at (y·n + z)·n + x, for y < z; 0 if x is y or z
    std::vector<Units> earn_;  // Λ(xy) at y·n + x; 0 if x = y
};

// Lowers a bound over the multipliers by subgradient steps towards a target.
class Subgradient {
public:
    explicit Subgradient(int n);

    const std::vector<double>& values() const { return values_; }
    const std::vector<double>& best() const { return best_; }

    // values() give this bound; when it is no better than those before, strides become shorter.
    void judge(double bound);
    // Moves values(), whose best DAG is `parents`, worth `bound`; false when there is nowhere to go.
    bool move(const std::vector<Set>& parents, double bound, double target);

private:
    int n_;
    double best_bound_, stride_;
    std::vector<double> values_, best_, slope_;
};

}  // namespace chordlearn
