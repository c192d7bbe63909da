#include "engine/relaxation.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <stdexcept>

#include "common/parallel.hpp"
#include "common/simd.hpp"

namespace chordlearn {

namespace {

constexpr int kMostSteps = 32000;
constexpr int kLowBits = 5;
constexpr Set kBlock = Set{1} << kLowBits;

// A loss cut down to whole steps; the small deduction covers the rounding of the quotient.
inline Steps steps_of(double loss) {
    const double exact = loss - 1e-3;
    return exact < kNever ? static_cast<Steps>(std::max(exact, 0.0)) : kNever;
}

CHORDLEARN_CLONES void take_minimum(Steps* __restrict to, const Steps* __restrict from, std::size_t count) {
    for (std::size_t k = 0; k < count; ++k) to[k] = std::min(to[k], from[k]);
}

// out = min(out, a + b); the sum of two capped numbers does not overflow.
CHORDLEARN_CLONES void take_minimum_sum(Steps* __restrict out, const Steps* __restrict a, const Steps* __restrict b) {
    for (Set k = 0; k < kBlock; ++k) out[k] = std::min(out[k], static_cast<Steps>(a[k] + b[k]));
}

CHORDLEARN_CLONES void take_minimum_of_pairs(Steps* data, std::size_t count, int bit) {
    const std::size_t half = std::size_t{1} << bit;
    switch (bit) {
        case 0:
            for (std::size_t k = 0; k < count; k += 2) data[k + 1] = std::min(data[k], data[k + 1]);
            return;
        case 1:
            for (std::size_t k = 0; k < count; k += 4)
                for (int t = 0; t < 2; ++t) data[k + 2 + t] = std::min(data[k + t], data[k + 2 + t]);
            return;
        case 2:
            for (std::size_t k = 0; k < count; k += 8)
                for (int t = 0; t < 4; ++t) data[k + 4 + t] = std::min(data[k + t], data[k + 4 + t]);
            return;
        default:
            for (std::size_t k = 0; k < count; k += 2 * half) take_minimum(data + k + half, data + k, half);
    }
}

// data[U] becomes the minimum over the subsets of U, taken over the bits in `free`.
void subset_minimum(Steps* data, int bits, Set free) {
    const int inner = std::min(bits, 14);
    const std::size_t chunk = std::size_t{1} << inner, count = std::size_t{1} << bits;
    for (std::size_t start = 0; start < count; start += chunk)
        for (int bit = 0; bit < inner; ++bit)
            if (free >> bit & 1) take_minimum_of_pairs(data + start, chunk, bit);
    for (int bit = inner; bit < bits; ++bit)
        if (free >> bit & 1) take_minimum_of_pairs(data, count, bit);
}

}  // namespace

Relaxation::Relaxation(const Instance& instance, int threads)
    : instance_(instance),
      threads_(threads),
      multipliers_(instance.n),
      kept_(std::size_t{1} << instance.n),
      best_(instance.n) {
    for (std::size_t set = 0; set < kept_.size(); ++set) kept_[set] = instance.allowed(static_cast<Set>(set));
    allowed_count_ = kept_count_ = static_cast<std::uint64_t>(std::count(kept_.begin() + 1, kept_.end(), 1));
    for (int i = 0; i < instance.n; ++i) least_.emplace_back(std::size_t{1} << (instance.n - 1));
    forward_.resize(std::size_t{1} << instance.n);
    backward_.resize(std::size_t{1} << instance.n);
    find_best();
    bound_ = best_total_;
}

std::uint64_t Relaxation::bytes_needed(int n) {
    const std::uint64_t sets = std::uint64_t{1} << n;
    return sets + sets / 2 * n * sizeof(Steps) + 2 * sets * sizeof(Steps) + sets * sizeof(Multipliers::Units);
}

void Relaxation::find_best() {
    if (!multipliers_.zero()) {
        find_changed_best();
    } else {
        parallel_for(instance_.n, threads_, [&](std::size_t i) {
            const Set bit = single(static_cast<int>(i));
            double best = kMinusInfinity;
            const std::size_t count = std::size_t{1} << instance_.n, run = bit;
            for (std::size_t start = 0; start < count; start += 2 * run)
                for (std::size_t p = start; p < start + run; ++p)
                    if (kept_[p | bit]) best = std::max(best, instance_.v[p | bit] - instance_.v[p]);
            best_[i] = best;
        });
    }
    best_total_ = 0;
    for (double best : best_) best_total_ += best;
    double largest = 0;
    for (std::size_t set = 0; set < kept_.size(); ++set)
        if (kept_[set]) largest = std::max(largest, std::abs(instance_.v[set]));
    // What the differences and sums of scores may be off by, many times over.
    slack_ = 16.0 * instance_.n * (largest + multipliers_.total()) * 0x1p-53;
}

void Relaxation::find_changed_best() {
    const int n = instance_.n;
    std::vector<std::vector<double>> best(n, std::vector<double>(n, kMinusInfinity));
    parallel_for(n, threads_, [&](std::size_t first) {
        double* mine = best[first].data();
        multipliers_.visit(kept_, static_cast<int>(first), [&](Set set, const Multipliers::Units* change) {
            for_each(set, [&](int i) { mine[i] = std::max(mine[i], changed_score(i, set, change[i])); });
        });
    });
    std::fill(best_.begin(), best_.end(), kMinusInfinity);
    for (const auto& some : best)
        for (int i = 0; i < n; ++i) best_[i] = std::max(best_[i], some[i]);
}

void Relaxation::fill_losses(const Control& control) {
    const int n = instance_.n;
    if (!multipliers_.zero()) {
        parallel_for(n, threads_, [&](std::size_t i) { std::fill(least_[i].begin(), least_[i].end(), kNever); });
        parallel_for(n, threads_, [&](std::size_t first) {
            control.check();
            multipliers_.visit(kept_, static_cast<int>(first), [&](Set set, const Multipliers::Units* change) {
                for_each(set, [&](int i) {
                    least_[i][squeeze(set, i)] = steps_of((best_[i] - changed_score(i, set, change[i])) / step_);
                });
            });
        });
    }
    parallel_for(n, threads_, [&](std::size_t index) {
        control.check();
        const int i = static_cast<int>(index);
        if (multipliers_.zero()) fill_plain_losses(i);
        // A required neighbour that comes before i must be among its parents: no minimum is taken over it.
        const Set free = ~static_cast<Set>(squeeze(instance_.required[i] & ~single(i), i));
        subset_minimum(least_[i].data(), n - 1, free);
    });
}

void Relaxation::fill_plain_losses(int i) {
    const Set bit = single(i);
    const double best = best_[i], scale = 1 / step_;
    Steps* out = least_[i].data();
    const std::size_t count = std::size_t{1} << instance_.n, run = bit;
    for (std::size_t start = 0; start < count; start += 2 * run)
        for (std::size_t p = start; p < start + run; ++p) {
            Steps steps = kNever;
            if (kept_[p | bit]) steps = steps_of((best - (instance_.v[p | bit] - instance_.v[p])) * scale);
            *out++ = steps;
        }
}

void Relaxation::run_backward() {
    const int n = instance_.n;
    const Set all = instance_.all();
    Steps* backward = backward_.data();
    backward[all] = 0;
    if (n <= kLowBits) {
        for (Set set = all; set-- > 0;) {
            int least = kNever;
            for_each(all & ~set, [&](int i) {
                least = std::min<int>(least, least_[i][squeeze(set, i)] + backward[set | single(i)]);
            });
            backward[set] = static_cast<Steps>(least);
        }
        return;
    }
    for (std::size_t start = (std::size_t{1} << n); start;) {
        start -= kBlock;
        const Set base = static_cast<Set>(start);
        Steps out[kBlock];
        std::fill(out, out + kBlock, kNever);
        for_each(all & ~base & ~below(kLowBits), [&](int i) {
            take_minimum_sum(out, least_[i].data() + squeeze(base, i), backward + (base | single(i)));
        });
        for (Set low = kBlock; low-- > 0;) {
            const Set set = base | low;
            if (set == all) {
                out[low] = 0;
                continue;
            }
            int least = out[low];
            for_each(~low & below(kLowBits),
                     [&](int i) { least = std::min<int>(least, least_[i][squeeze(set, i)] + out[low | single(i)]); });
            out[low] = static_cast<Steps>(least);
        }
        std::copy(out, out + kBlock, backward + start);
    }
}

void Relaxation::run_forward() {
    const int n = instance_.n;
    const Set all = instance_.all();
    Steps* forward = forward_.data();
    if (n <= kLowBits) {
        forward[0] = 0;
        for (Set set = 1; set <= all; ++set) {
            int least = kNever;
            for_each(set, [&](int i) {
                const Set rest = set & ~single(i);
                least = std::min<int>(least, least_[i][squeeze(rest, i)] + forward[rest]);
            });
            forward[set] = static_cast<Steps>(least);
        }
        return;
    }
    const std::size_t count = std::size_t{1} << n;
    for (std::size_t start = 0; start < count; start += kBlock) {
        const Set base = static_cast<Set>(start);
        Steps out[kBlock];
        std::fill(out, out + kBlock, kNever);
        for_each(base, [&](int i) {
            const Set rest = base & ~single(i);
            take_minimum_sum(out, least_[i].data() + squeeze(rest, i), forward + rest);
        });
        for (Set low = 0; low < kBlock; ++low) {
            const Set set = base | low;
            if (set == 0) {
                out[low] = 0;
                continue;
            }
            int least = out[low];
            for_each(low, [&](int i) {
                least = std::min<int>(least, least_[i][squeeze(set & ~single(i), i)] + out[low & ~single(i)]);
            });
            out[low] = static_cast<Steps>(least);
        }
        std::copy(out, out + kBlock, forward + start);
    }
}

double Relaxation::best_sum(Set set) const {
    double sum = 0;
    for_each(set, [&](int i) { sum += best_[i]; });
    return sum;
}

int Relaxation::loss_of(Set set) const { return steps_of((best_sum(set) - first_score(set)) / step_); }

double Relaxation::bound_with(Set set) const {
    if (!kept_[set]) return lower_;
    return best_total_ - step_ * (loss_of(set) + backward_[set]) + slack_;
}

void Relaxation::find_first_changes() {
    if (multipliers_.zero()) return;
    first_change_.resize(kept_.size());
    for (int first = instance_.n; first-- > 0;)
        multipliers_.visit(kept_, first, [&](Set set, const Multipliers::Units* change) {
            Multipliers::Units least = std::numeric_limits<Multipliers::Units>::max();
            for_each(set,
                     [&](int last) { least = std::min(least, first_change_[set & ~single(last)] + change[last]); });
            first_change_[set] = least;
        });
}

void Relaxation::remove_sets() {
    find_first_changes();
    kept_count_ = 0;
    const std::size_t count = std::size_t{1} << instance_.n;
    for (std::size_t set = 1; set < count; ++set) {
        if (!kept_[set]) continue;
        const Set s = static_cast<Set>(set);
        bool keep = backward_[set] < kNever && loss_of(s) + backward_[set] <= budget_;
        // A set is out when a subset is.
        for (Set rest = s; keep && rest; rest &= rest - 1) keep = kept_[s & ~(rest & -rest)];
        kept_[set] = keep;
        kept_count_ += keep;
    }
    kept_[0] = kept_count_ > 0;
}

void Relaxation::restore(const std::vector<std::uint8_t>& kept) {
    kept_ = kept;
    kept_count_ = static_cast<std::uint64_t>(std::count(kept_.begin() + 1, kept_.end(), 1));
}

bool Relaxation::run_programs(const Control& control, bool both) {
    control.check();
    find_best();
    const double spread = best_total_ - lower_ + slack_;
    if (!(spread >= 0)) {
        std::fill(kept_.begin(), kept_.end(), 0);
        kept_count_ = 0;
        bound_ = best_total_ + slack_;
        budget_ = -1;
        return false;
    }
    step_ = std::max({spread / kMostSteps, 8 * slack_, 1e-300});
    budget_ = static_cast<int>(spread / step_) + 1;
    fill_losses(control);
    control.check();
    parallel_for(both ? 2 : 1, threads_, [&](std::size_t k) { k ? run_forward() : run_backward(); });
    bound_ = best_total_ - step_ * backward_[0] + slack_;
    return true;
}

int Relaxation::tighten(double lower, Control& control) {
    // No budget follows from −∞: a caller that knows nothing must say how bad networks can be.
    if (!(lower > kMinusInfinity)) throw std::invalid_argument("a lower bound must be a number above -inf");
    lower_ = lower;
    for (int rounds = 1;; ++rounds) {
        const std::uint64_t before = kept_count_;
        if (!run_programs(control, /*both=*/true)) return rounds;
        remove_sets();
        if (kept_count_ * 50 > before * 49) return rounds;
    }
}

std::vector<Set> Relaxation::kept_sets() const {
    std::vector<Set> sets;
    for (std::size_t set = 1; set < kept_.size(); ++set)
        if (kept_[set]) sets.push_back(static_cast<Set>(set));
    return sets;
}

}  // namespace chordlearn
