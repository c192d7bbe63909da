#include "engine/lagrange.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "engine/relaxation.hpp"

namespace chordlearn {

namespace {

constexpr int kUnitBits = 30;
constexpr double kLeastSum = 0x1p-900;  // of multipliers; units of less would not be numbers
// Shares of Polyak's stride, found by trial on real data: short strides gain most in the first ten iterations.
constexpr double kFirstStride = 0.5, kShorter = 0.9;

}  // namespace

void Multipliers::set(const std::vector<double>& values) {
    double sum = 0;
    for (double value : values) sum += value;
    pay_.clear();
    unit_ = total_ = 0;
    if (!(sum > kLeastSum)) return;
    // Rounding down keeps the sum of all below 2^30 units.
    unit_ = std::ldexp(1.0, std::ilogb(sum) + 2 - kUnitBits);
    pay_.assign(values.size(), 0);
    earn_.assign(static_cast<std::size_t>(n_) * n_, 0);
    for (int y = 0; y < n_; ++y)
        for (int z = y + 1; z < n_; ++z)
            for (int x = 0; x < n_; ++x) {
                if (x == y || x == z) continue;
                const Units units = static_cast<Units>(values[place(x, y, z)] / unit_);
                pay_[(y * n_ + z) * n_ + x] = units;
                earn_[y * n_ + z] += units;
                earn_[z * n_ + y] += units;
                total_ += units * unit_;
            }
}

Subgradient::Subgradient(int n)
    : n_(n),
      best_bound_(std::numeric_limits<double>::infinity()),
      stride_(kFirstStride),
      values_(static_cast<std::size_t>(n) * n * n),
      best_(values_),
      slope_(values_) {}

void Subgradient::judge(double bound) {
    if (bound < best_bound_) {
        best_bound_ = bound;
        best_ = values_;
    } else {
        stride_ *= kShorter;
    }
}

bool Subgradient::move(const std::vector<Set>& parents, double bound, double target) {
    double squares = 0;
    std::size_t at = 0;
    for (int x = 0; x < n_; ++x)
        for (int y = 0; y < n_; ++y)
            for (int z = 0; z < n_; ++z, ++at) {
                slope_[at] = 0;
                if (z <= y || x == y || x == z) continue;
                const bool both = parents[x] >> y & parents[x] >> z & 1;
                const bool edge = (parents[z] >> y | parents[y] >> z) & 1;
                const int slope = both - edge;
                if (slope < 0 && values_[at] == 0) continue;
                slope_[at] = slope;
                squares += slope * slope;
            }
    if (squares == 0 || !(bound > target)) return false;
    const double stride = stride_ * (bound - target) / squares;
    for (at = 0; at < values_.size(); ++at) values_[at] = std::max(0.0, values_[at] + stride * slope_[at]);
    return true;
}

std::vector<Set> Relaxation::best_parents() const {
    const Set all = instance_.all();
    std::vector<Set> parents(instance_.n);
    for (Set before = 0; before != all;) {
        int next = -1;
        for_each(all & ~before, [&](int i) {
            if (least(i, before) + backward_[before | single(i)] == backward_[before]) next = i;
        });
        // A smallest set with the least loss of all subsets is itself what attains it.
        Set chosen = before;
        for_each(before & ~instance_.required[next], [&](int j) {
            if (least(next, chosen & ~single(j)) == least(next, chosen)) chosen &= ~single(j);
        });
        parents[next] = chosen;
        before |= single(next);
    }
    return parents;
}

int Relaxation::tighten_lagrangian(double lower, int iterations, Control& control) {
    multipliers_.set({});
    int rounds = tighten(lower, control);
    if (kept_count_ == 0) return rounds;
    double best = bound_;
    Subgradient subgradient(instance_.n);
    subgradient.judge(bound_);
    while (iterations-- > 0 && subgradient.move(best_parents(), bound_, lower)) {
        multipliers_.set(subgradient.values());
        ++rounds;
        if (!run_programs(control, /*both=*/false)) return rounds;
        subgradient.judge(bound_);
        best = std::min(best, bound_);
        remove_sets();
        if (kept_count_ == 0) return rounds;
    }
    multipliers_.set(subgradient.best());
    rounds += tighten(lower, control);
    bound_ = std::min(bound_, best);
    return rounds;
}

}  // namespace chordlearn
