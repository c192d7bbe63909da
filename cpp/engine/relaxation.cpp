#include "engine/relaxation.hpp"

#include <algorithm>
#include <cmath>

#include "common/parallel.hpp"
#include "common/simd.hpp"

namespace chordlearn {

namespace {

constexpr int kMostSteps = 32000;
constexpr int kLowBits = 5;
constexpr Set kBlock = Set{1} << kLowBits;

// The set without bit i, the higher bits moved down.
inline std::size_t squeeze(Set set, int i) { return (set & below(i)) | (static_cast<std::size_t>(set) >> (i + 1) << i); }

CHORDLEARN_CLONES void take_minimum(Steps* __restrict to, const Steps* __restrict from, std::size_t count) {
    for (std::size_t k = 0; k < count; ++k) to[k] = std::min(to[k], from[k]);
}

// out = min(out, a + b); the sum of two capped numbers does not overflow.
CHORDLEARN_CLONES void take_minimum_sum(Steps* __restrict out, const Steps* __restrict a,
                                        const Steps* __restrict b) {
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
    : instance_(instance), threads_(threads), kept_(std::size_t{1} << instance.n), best_(instance.n) {
    for (std::size_t set = 0; set < kept_.size(); ++set) kept_[set] = instance.allowed(static_cast<Set>(set));
    allowed_count_ = kept_count_ = static_cast<std::uint64_t>(std::count(kept_.begin() + 1, kept_.end(), 1));
    for (int i = 0; i < instance.n; ++i)
        least_.emplace_back(std::size_t{1} << (instance.n - 1));
    forward_.resize(std::size_t{1} << instance.n);
    backward_.resize(std::size_t{1} << instance.n);
    find_best();
    bound_ = best_total_;
}

std::uint64_t Relaxation::bytes_needed(int n) {
    const std::uint64_t sets = std::uint64_t{1} << n;
    return sets + sets / 2 * n * sizeof(Steps) + 2 * sets * sizeof(Steps);
}

void Relaxation::find_best() {
    parallel_for(instance_.n, threads_, [&](std::size_t i) {
        const Set bit = single(static_cast<int>(i));
        double best = kMinusInfinity;
        const std::size_t count = std::size_t{1} << instance_.n, run = bit;
        for (std::size_t start = 0; start < count; start += 2 * run)
            for (std::size_t p = start; p < start + run; ++p)
                if (kept_[p | bit]) best = std::max(best, instance_.v[p | bit] - instance_.v[p]);
        best_[i] = best;
    });
    best_total_ = 0;
    for (double best : best_) best_total_ += best;
    double largest = 0;
    for (std::size_t set = 0; set < kept_.size(); ++set)
        if (kept_[set]) largest = std::max(largest, std::abs(instance_.v[set]));
    slack_ = 16.0 * instance_.n * largest * 0x1p-53;
}

void Relaxation::fill_losses(int i) {
    const Set bit = single(i);
    const double best = best_[i], scale = 1 / step_;
    Steps* out = least_[i].data();
    const std::size_t count = std::size_t{1} << instance_.n, run = bit;
    for (std::size_t start = 0; start < count; start += 2 * run)
        for (std::size_t p = start; p < start + run; ++p) {
            Steps steps = kNever;
            if (kept_[p | bit]) {
                // The small deduction covers the rounding of the product.
                const double exact = (best - (instance_.v[p | bit] - instance_.v[p])) * scale - 1e-3;
                if (exact < kNever) steps = static_cast<Steps>(std::max(exact, 0.0));
            }
            *out++ = steps;
        }
    // A required neighbour that comes before i must be among its parents: no minimum is taken over it.
    const Set free = ~static_cast<Set>(squeeze(instance_.required[i] & ~bit, i));
    subset_minimum(least_[i].data(), instance_.n - 1, free);
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
            for_each(~low & below(kLowBits), [&](int i) {
                least = std::min<int>(least, least_[i][squeeze(set, i)] + out[low | single(i)]);
            });
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

int Relaxation::loss_of(Set set) const {
    const double exact = (best_sum(set) - instance_.v[set]) / step_ - 1e-3;
    return exact >= kNever ? kNever : static_cast<int>(std::max(exact, 0.0));
}

double Relaxation::bound_with(Set set) const {
    if (!kept_[set]) return lower_;
    return best_total_ - step_ * (loss_of(set) + backward_[set]) + slack_;
}

std::uint64_t Relaxation::drop_sets() {
    std::uint64_t left = 0;
    const std::size_t count = std::size_t{1} << instance_.n;
    for (std::size_t set = 1; set < count; ++set) {
        if (!kept_[set]) continue;
        const Set s = static_cast<Set>(set);
        bool keep = backward_[set] < kNever && loss_of(s) + backward_[set] <= budget_;
        // A set is out when a subset is.
        for (Set rest = s; keep && rest; rest &= rest - 1) keep = kept_[s & ~(rest & -rest)];
        kept_[set] = keep;
        left += keep;
    }
    return left;
}

void Relaxation::restore(const std::vector<std::uint8_t>& kept) {
    kept_ = kept;
    kept_count_ = static_cast<std::uint64_t>(std::count(kept_.begin() + 1, kept_.end(), 1));
}

int Relaxation::tighten(double lower, Control& control) {
    lower_ = lower;
    int rounds = 0;
    for (;;) {
        control.check();
        ++rounds;
        find_best();
        const double spread = best_total_ - lower + slack_;
        if (!(spread >= 0)) {  // not even the sum of the best parts scores more
            std::fill(kept_.begin(), kept_.end(), 0);
            kept_count_ = 0;
            bound_ = best_total_ + slack_;
            budget_ = -1;
            return rounds;
        }
        step_ = std::max({spread / kMostSteps, 8 * slack_, 1e-300});
        budget_ = static_cast<int>(spread / step_) + 1;
        parallel_for(instance_.n, threads_, [&](std::size_t i) {
            control.check();
            fill_losses(static_cast<int>(i));
        });
        control.check();
        parallel_for(2, threads_, [&](std::size_t k) { k ? run_forward() : run_backward(); });
        bound_ = best_total_ - step_ * backward_[0] + slack_;
        const std::uint64_t before = kept_count_;
        kept_count_ = drop_sets();
        kept_[0] = kept_count_ > 0;
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
