#include "posterior/network_sums.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <limits>

#include "common/parallel.hpp"
#include "common/random.hpp"
#include "common/simd.hpp"

namespace chordlearn {

namespace {

using State = NetworkSums::State;
using Four = double __attribute__((vector_size(32)));
using FourFloats = float __attribute__((vector_size(16)));
using Places = std::int64_t __attribute__((vector_size(32)));

constexpr std::int32_t kZero = -(1 << 28);  // the exponent of what is 0
constexpr double kUnit = 0x1p-53;           // of rounding
constexpr double kDisturbance = 1024 * kUnit;
constexpr int kLowBits = 6;  // of a sum that is added up by itself

// 2^d; 0 where that is too small for a double of full precision.
inline __attribute__((always_inline)) double power_of_two(std::int32_t d) {
    const std::int64_t biased = std::max(d, -1023) + 1023;
    return std::bit_cast<double>(biased << 52);
}

// 1 or −1, by chance but always the same.
double sign_of(std::uint64_t number) { return Random(number).bits() >> 63 ? 1 : -1; }

// The lowest elements of a set, at most kLowBits of them.
Set low_part(Set set) {
    Set rest = set;
    for (int i = 0; i < kLowBits && rest; ++i) rest &= rest - 1;
    return set & ~rest;
}

// Numbers of exactly n bits with exactly k of them set, in increasing order.
template <class F>
void for_each_choice(int n, int k, F&& f) {
    if (k > n) return;
    const std::uint64_t end = std::uint64_t{1} << n;
    for (std::uint64_t x = (std::uint64_t{1} << k) - 1; x < end;) {
        f(static_cast<Set>(x));
        if (x == 0) return;
        const std::uint64_t low = x & -x, ripple = x + low;
        x = ripple | (((x ^ ripple) >> 2) / low);
    }
}

double choose(int n, int k) {
    return std::round(std::exp(std::lgamma(n + 1) - std::lgamma(k + 1) - std::lgamma(n - k + 1)));
}

// A sum and the disturbed one, both in units of 2^exponent.
struct Term {
    double value, other;
    std::int32_t exponent;
};

constexpr Term kNothing{0, 0, kZero};

inline void add(Term& sum, const Term& term) {
    if (term.exponent > sum.exponent) {
        const double factor = power_of_two(sum.exponent - term.exponent);
        sum = {sum.value * factor + term.value, sum.other * factor + term.other, term.exponent};
    } else {
        const double factor = power_of_two(term.exponent - sum.exponent);
        sum.value += term.value * factor;
        sum.other += term.other * factor;
    }
}

// The subsets of a set: bit i of every index stands for its i-th element.
CHORDLEARN_CLONES
void spread(Set set, std::vector<Set>& spread) {
    spread.resize(std::size_t{1} << size(set));
    spread[0] = 0;
    std::size_t filled = 1;
    for (; set; set &= set - 1, filled *= 2)
        for (std::size_t k = 0; k < filled; ++k) spread[filled + k] = spread[k] | (set & -set);
}

// φ(A) G(A,W∖A) for the subsets A of W with so many elements at least. The state of (A,W∖A) stands ternary[A] before
// that of (∅,W).
CHORDLEARN_CLONES
void collect(const State* end, const std::uint32_t* ternary, const double* weights, const std::int32_t* exponents,
             const std::vector<Set>& sets, int least, Term* terms) {
    for (Set a = 0; a < sets.size(); ++a) {
        if (size(a) < least) continue;
        const Set set = sets[a];
        const State& from = *(end - ternary[set]);
        const double weight = weights[set];
        terms[a] = weight != 0 ? Term{weight * from.g, weight * (from.g + from.g_shift), exponents[set] + from.exponent}
                               : kNothing;
    }
}

// Σ (−1)^(|T|+1) terms[c | T] over T ⊆ left, T ≠ ∅, in units of 2^unit.
CHORDLEARN_CLONES
Term alternating_sum(const Term* terms, Set c, Set left, std::int32_t unit) {
    const Set low = low_part(left), high = left & ~low;
    std::array<Set, 1 << kLowBits> of_size[2];
    int counts[2] = {0, 0};
    for (Set t = low;; t = (t - 1) & low) {
        of_size[size(t) & 1][counts[size(t) & 1]++] = t;
        if (!t) break;
    }
    double values[2] = {0, 0}, others[2] = {0, 0};
    for (Set t = high;; t = (t - 1) & high) {
        for (int odd = 0; odd < 2; ++odd) {
            // The empty set is the last of the even ones.
            const int count = counts[odd] - (!t && !odd ? 1 : 0);
            const Term* from = terms + (c | t);
            double value = 0, other = 0;
            for (int k = 0; k < count; ++k) {
                const Term& term = from[of_size[odd][k]];
                const double factor = power_of_two(term.exponent - unit);
                value += term.value * factor;
                other += term.other * factor;
            }
            const int sign = (size(t) + odd) & 1;
            values[sign] += value;
            others[sign] += other;
        }
        if (!t) break;
    }
    return {values[1] - values[0], others[1] - others[0], unit};
}

// Σ F(X) G(Y) + G(X) F(Y) and Σ H(X) G(Y) over the ways to split U into X, which has its lowest element, and Y ≠ ∅.
struct Splits {
    double touching = 0, touching_other = 0, hanging = 0, hanging_other = 0;
    std::int32_t exponent = kZero;
};

// The three sums of a state; its last lane, which has what lies behind them, is cleared.
constexpr Places kThree{-1, -1, -1, 0};
inline __attribute__((always_inline)) Four values_of(const State& s) {
    Places bits;
    __builtin_memcpy(&bits, &s.f, sizeof bits);
    return reinterpret_cast<Four>(bits & kThree);
}
inline __attribute__((always_inline)) Four others_of(const State& s, Four values) {
    using Bits = std::int32_t __attribute__((vector_size(16)));
    constexpr Bits three{-1, -1, -1, 0};
    Bits bits;
    __builtin_memcpy(&bits, &s.f_shift, sizeof bits);
    return values + __builtin_convertvector(reinterpret_cast<FourFloats>(bits & three), Four);
}
inline __attribute__((always_inline)) Four partners(Four v) { return __builtin_shuffle(v, Places{2, 2, 0, 3}); }

template <bool constrained>
inline __attribute__((always_inline)) Splits sum_splits_of(const State* row, const std::uint32_t* ternary, Set u,
                                                           const Set* required) {
    const Set pivot = u & -u, rest = u ^ pivot, low = low_part(rest), high = rest & ~low;
    std::array<std::uint32_t, 1 << kLowBits> offsets;
    std::array<Set, 1 << kLowBits> masks;
    int count = 0;
    for (Set x = low;; x = (x - 1) & low) {
        masks[count] = x;
        offsets[count++] = 2 * ternary[x];
        if (!x) break;
    }
    const std::uint32_t end = 2 * ternary[u];
    Four sum{0, 0, 0, 0}, sum_other{0, 0, 0, 0};
    std::int32_t unit = kZero;
    for (Set x = high;; x = (x - 1) & high) {
        const std::uint32_t base = 2 * ternary[x | pivot];
        Four part{0, 0, 0, 0}, part_other{0, 0, 0, 0};
        // Without the one that leaves nothing for Y.
        for (int k = x == high ? 1 : 0; k < count; ++k) {
            const std::uint32_t place = base + offsets[k];
            if constexpr (constrained) {
                const Set own = x | pivot | masks[k];
                if (required[own] & u & ~own) continue;
            }
            const State& one = row[place];
            const State& other = row[end - place];
            std::int32_t shift = one.exponent + other.exponent - unit;
            if (shift > 900) [[unlikely]] {
                const double factor = power_of_two(-std::min(shift, 1100));
                part *= factor;
                part_other *= factor;
                sum *= factor;
                sum_other *= factor;
                unit += shift;
                shift = 0;
            }
            const double factor = power_of_two(shift);
            const Four left = values_of(one), right = values_of(other);
            part += left * (partners(right) * factor);
            part_other += others_of(one, left) * (partners(others_of(other, right)) * factor);
        }
        sum += part;
        sum_other += part_other;
        if (!x) break;
    }
    return {sum[0] + sum[2], sum_other[0] + sum_other[2], sum[1], sum_other[1], unit};
}

CHORDLEARN_CLONES
Splits sum_splits(const State* row, const std::uint32_t* ternary, Set u) {
    return sum_splits_of<false>(row, ternary, u, nullptr);
}

CHORDLEARN_CLONES
Splits sum_allowed_splits(const State* row, const std::uint32_t* ternary, Set u, const Set* required) {
    return sum_splits_of<true>(row, ternary, u, required);
}

}  // namespace

double Scaled::log() const { return value > 0 ? std::log(value) + exponent * std::log(2.0) : kMinusInfinity; }

struct NetworkSums::Scratch {
    std::vector<Set> sets;
    std::vector<Term> terms;
};

double NetworkSums::bytes_needed(int n, int threads) {
    const double sets = std::ldexp(1.0, n), of_set = sizeof(std::uint32_t) + sizeof(double) + sizeof(std::int32_t);
    const double of_thread = sizeof(Set) + sizeof(Term);
    return std::pow(3.0, n) * sizeof(State) + sets * (of_set + sizeof(Set) + threads * of_thread);
}

double NetworkSums::work(int n) { return 2 * std::ldexp(1.0, 2 * n); }

NetworkSums::NetworkSums(const Instance& instance, int threads, Control& control) : n_(instance.n) {
    weigh(instance);
    const std::size_t sets = std::size_t{1} << n_;
    std::size_t states = 1;
    for (int i = 0; i < n_; ++i) states *= 3;
    states_.reset(new State[states]);
    for (Set c = 0; c < sets; ++c) {
        const bool possible = allowed(c);
        state(c, 0) = {0, 0, possible ? 1.0 : 0.0, 0, 0, 0, possible ? 0 : kZero};
    }
    std::vector<std::vector<Set>> of_size(n_ + 1);
    for (Set s = 0; s < sets; ++s) of_size[size(s)].push_back(s);
    const auto count = [&](int others, int level) {
        control.check();
        control.done += static_cast<std::uint64_t>(choose(others, level) * std::ldexp(1.0, level));
    };
    for (int level = 1; level <= n_; ++level) {
        std::vector<Set> larger, smaller;
        for (int k = n_; k >= level; --k) larger.insert(larger.end(), of_size[k].begin(), of_size[k].end());
        for (int k = 0; k <= n_ - level; ++k) smaller.insert(smaller.end(), of_size[k].begin(), of_size[k].end());
        parallel_for(larger.size(), threads, [&](std::size_t i) {
            thread_local Scratch scratch;
            count_components(larger[i], level, scratch);
            count(size(larger[i]), level);
        });
        parallel_for(smaller.size(), threads, [&](std::size_t i) {
            if (allowed(smaller[i])) subtract_splits(smaller[i], level);
            count(n_ - size(smaller[i]), level);
        });
        parallel_for(of_size[level].size(), threads, [&](std::size_t i) {
            thread_local Scratch scratch;
            hang(of_size[level][i], scratch);
            control.check();
        });
    }
    for (int a = 0; a < n_; ++a)
        for (int b = 0; b < a; ++b) {
            const auto [one, other] = share(single(a) | single(b), below(n_) & ~single(a) & ~single(b));
            error_ = std::max(error_, std::abs(one - other));
        }
}

void NetworkSums::weigh(const Instance& instance) {
    const std::size_t sets = std::size_t{1} << n_;
    ternary_.assign(sets, 0);
    weights_.assign(sets, 0);
    exponents_.assign(sets, kZero);
    std::uint32_t power = 1;
    for (int i = 0; i < n_; ++i, power *= 3) {
        offset_ += instance.v[single(i)];
        for (Set s = 0; s < single(i); ++s) ternary_[s | single(i)] = ternary_[s] + power;
    }
    double largest = 0;
    for (Set s = 0; s < sets; ++s) {
        if (!instance.allowed(s)) continue;
        long double score = instance.v[s];
        for_each(s, [&](int i) { score -= instance.v[single(i)]; });
        const long double binary = score / std::log(2.0L), whole = std::floor(binary);
        weights_[s] = static_cast<double>(std::exp2(binary - whole));
        exponents_[s] = static_cast<std::int32_t>(whole);
        largest = std::max(largest, static_cast<double>(std::abs(score)) + std::abs(instance.v[s]));
    }
    // A network has at most n cliques and n separators.
    const double of_set = 2 * kUnit + (n_ + 4) * largest * std::numeric_limits<long double>::epsilon();
    weight_error_ = 2 * n_ * of_set;
    if (std::all_of(instance.required.begin(), instance.required.end(), [](Set s) { return s == 0; })) return;
    required_.assign(sets, 0);
    for (Set s = 1; s < sets; ++s) required_[s] = required_[s & (s - 1)] | instance.required[lowest(s)];
}

// L, in the place of F.
void NetworkSums::count_components(Set w, int level, Scratch& scratch) {
    const int count = size(w);
    const Set all = below(count);
    spread(w, scratch.sets);
    scratch.terms.resize(scratch.sets.size());
    const std::uint32_t end = 2 * ternary_[w];
    collect(&states_[end], ternary_.data(), weights_.data(), exponents_.data(), scratch.sets, count - level + 1,
            scratch.terms.data());
    for_each_choice(count, count - level, [&](Set c) {
        const Set set = scratch.sets[c], left = all & ~c;
        State& to = states_[end - ternary_[set]];
        to = {0, 0, 0, 0, 0, 0, kZero};
        // Supersets weigh less, so the smallest have the largest exponent.
        std::int32_t unit = kZero;
        for_each(left, [&](int i) { unit = std::max(unit, scratch.terms[c | single(i)].exponent); });
        if (!allowed(set) || unit <= kZero) return;
        const Term sum = alternating_sum(scratch.terms.data(), c, left, unit);
        to.f = sum.value / weights_[set];
        to.f_shift = static_cast<float>((sum.other - sum.value) / weights_[set]);
        to.exponent = unit - exponents_[set];
    });
}

// F from L; and all of G but for the graphs in which U is connected.
void NetworkSums::subtract_splits(Set c, int level) {
    const State* row = &state(c, 0);
    std::array<int, 32> elements;
    int count = 0;
    for_each(below(n_) & ~c, [&](int i) { elements[count++] = i; });
    for_each_choice(count, level, [&](Set choice) {
        Set u = 0;
        for_each(choice, [&](int k) { u |= single(elements[k]); });
        State& to = state(c, u);
        Splits splits;
        if (level > 1)
            splits = required_.empty() ? sum_splits(row, ternary_.data(), u)
                                       : sum_allowed_splits(row, ternary_.data(), u, required_.data());
        const std::int32_t unit = std::max(to.exponent, splits.exponent);
        const double before = power_of_two(to.exponent - unit), factor = power_of_two(splits.exponent - unit);
        to.f = std::max(to.f * before - splits.touching * factor, 0.0);  // sums of weights are not negative
        const double shift = to.f_shift * before - (splits.touching_other - splits.touching) * factor;
        to.f_shift = static_cast<float>(shift);
        to.g = splits.hanging * factor;
        to.g_shift = static_cast<float>((splits.hanging_other - splits.hanging) * factor);
        to.exponent = unit;
    });
}

// H from F, and the rest of G.
void NetworkSums::hang(Set u, Scratch& scratch) {
    const Set others = below(n_) & ~u;
    spread(others, scratch.sets);
    auto& terms = scratch.terms;
    terms.resize(scratch.sets.size());
    for (std::size_t k = 0; k < terms.size(); ++k) {
        const State& from = state(scratch.sets[k], u);
        terms[k] = allowed(scratch.sets[k]) ? Term{from.f, from.f + from.f_shift, from.exponent} : kNothing;
    }
    // What a variable of U must be adjacent to is touched wherever it is in C.
    const Set needed = required_.empty() ? 0 : required_[u];
    std::size_t bit = 1;
    for_each(others, [&](int i) {
        if (!(needed & single(i)))
            for (std::size_t k = 0; k < terms.size(); ++k)
                if (k & bit) add(terms[k], terms[k ^ bit]);
        bit *= 2;
    });
    for (std::size_t k = 0; k < terms.size(); ++k) {
        if (!allowed(scratch.sets[k])) continue;
        State& to = state(scratch.sets[k], u);
        const Term& hanging = terms[k];
        const std::int32_t unit = std::max(to.exponent, hanging.exponent);
        const double before = power_of_two(to.exponent - unit), factor = power_of_two(hanging.exponent - unit);
        const double g = to.g * before + hanging.value * factor;
        if (!(g > 0)) {
            to = {0, 0, 0, 0, 0, 0, kZero};
            continue;
        }
        const int up = std::ilogb(g);
        const double of_before = std::ldexp(before, -up), of_hanging = std::ldexp(factor, -up);
        const double disturbance = kDisturbance * sign_of((std::uint64_t{u} << 32) + scratch.sets[k]);
        const double h_shift = (hanging.other - hanging.value) * of_hanging;
        to.f *= of_before;
        to.h = hanging.value * of_hanging;
        to.g = to.g * of_before + to.h;
        to.f_shift = static_cast<float>(to.f_shift * of_before + disturbance * to.f);
        to.g_shift = static_cast<float>(to.g_shift * of_before + h_shift + disturbance * to.g);
        to.h_shift = static_cast<float>(h_shift + disturbance * to.h);
        to.exponent = unit + up;
    }
}

Scaled NetworkSums::all(Set c, Set u) const { return {state(c, u).g, state(c, u).exponent}; }

Scaled NetworkSums::touching(Set c, Set u) const { return {state(c, u).f, state(c, u).exponent}; }

Scaled NetworkSums::hanging(Set c, Set u) const { return {state(c, u).h, state(c, u).exponent}; }

Scaled NetworkSums::weight(Set set) const { return {weights_[set], exponents_[set]}; }

Probability NetworkSums::log_total() const {
    const State& total = state(0, below(n_));
    if (!(total.g > 0)) return {kMinusInfinity, 0};
    const double log = all(0, below(n_)).log();
    const double rounded = kUnit * (std::abs(offset_) * (n_ + 2) + std::abs(log) * 4);
    return {log + offset_, std::max(error_, std::abs(total.g_shift / total.g)) + weight_error_ + rounded};
}

std::pair<double, double> NetworkSums::share(Set c, Set u) const {
    const State &total = state(0, below(n_)), &own = state(c, u);
    if (!allowed(c) || !(total.g > 0)) return {0, 0};
    const double factor = weights_[c] * power_of_two(exponents_[c] + own.exponent - total.exponent);
    return {own.g * factor / total.g, (own.g + own.g_shift) * factor / (total.g + total.g_shift)};
}

Probability NetworkSums::stated(std::pair<double, double> shares) const {
    const auto [one, other] = shares;
    return {std::clamp(one, 0.0, 1.0), std::max(error_, std::abs(one - other)) + 2 * weight_error_ * one + 8 * kUnit};
}

Probability NetworkSums::complete(Set set) const { return stated(share(set, below(n_) & ~set)); }

Probability NetworkSums::separated_by_complete(int a, int b, Set set) const {
    const State& total = state(0, below(n_));
    if (!allowed(set) || !(total.g > 0)) return {0, 0};
    const Set rest = below(n_) & ~set, free = rest & ~single(a) & ~single(b);
    double one = 0, other = 0;
    for (Set more = free;; more = (more - 1) & free) {
        const Set x = more | single(a), y = rest & ~x;
        if (!crosses(x, y)) {
            // X is a's own component.
            const State &own = state(set, x), &others = state(set, y);
            const double factor =
                weights_[set] * power_of_two(own.exponent + others.exponent + exponents_[set] - total.exponent);
            one += own.h * others.g * factor;
            other += (own.h + own.h_shift) * (others.g + others.g_shift) * factor;
        }
        if (!more) break;
    }
    return stated({one / total.g, other / (total.g + total.g_shift)});
}

}  // namespace chordlearn
