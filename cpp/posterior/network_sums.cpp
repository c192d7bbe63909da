#include "posterior/network_sums.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <limits>

#include "common/parallel.hpp"
#include "common/simd.hpp"

namespace chordlearn {

namespace {

using State = NetworkSums::State;
using Four = double __attribute__((vector_size(32)));
using FourInts = std::int32_t __attribute__((vector_size(16)));
using Places = std::int64_t __attribute__((vector_size(32)));

constexpr std::int32_t kZero = -(1 << 28);  // the exponent of what is 0
constexpr double kUnit = 0x1p-53;           // of rounding
constexpr int kLowBits = 6;                 // of a sum that is added up by itself

// How the rest of a sum is kept: in 22 bits the multiple of kStep that the double leaves out, in 10 bits the logarithm
// of a bound of the error, in eighths of an octave.
constexpr double kStep = 0x1p-74;
constexpr std::int32_t kErrorBits = 10, kLargestError = (1 << kErrorBits) - 1, kLargestRest = (1 << 21) - 1;
constexpr int kErrorShift = 49;                        // of the bits of a double that are kept of an error
constexpr std::int64_t kErrorBias = (1023 - 126) * 8;  // so that errors begin at 2^-126

// Rounding in a sum of products: of 2^17 of them, in blocks of 64, each with the errors of its products and of its
// additions. Errors of these errors are squares of kUnit; what is left out because it is below 2^-1022 is less.
constexpr double kOfSum = 0x1p-80;
// Of a sum that is stored: one step of the rest at most, and as much for products of two rests.
constexpr double kOfStore = 2 * kStep;
constexpr double kUpwards = 1 + 0x1p-20;  // for the rounding of the bounds themselves

// 2^d; 0 where that is too small for a double of full precision.
inline __attribute__((always_inline)) double power_of_two(std::int32_t d) {
    const std::int64_t biased = std::max(d, -1023) + 1023;
    return std::bit_cast<double>(biased << 52);
}

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

// Adds numbers and keeps what rounding loses.
template <class Number>
struct LongSum {
    Number value{}, lost{};
    inline __attribute__((always_inline)) void add(Number x, Number rest) {
        const Number sum = value + x, part = sum - value;
        lost += ((value - (sum - part)) + (x - part)) + rest;
        value = sum;
    }
    inline __attribute__((always_inline)) void scale(double factor) { value *= factor, lost *= factor; }
    Number total() const { return value + lost; }
};

using Long = LongSum<double>;

Long scaled(Long number, double factor) { return {number.value * factor, number.lost * factor}; }

// A sum and a bound of its error, both in units of 2^exponent.
struct Term {
    Long sum;
    double error;
    std::int32_t exponent;
};

constexpr Term kNothing{{0, 0}, 0, kZero};

inline void add(Term& to, const Term& term) {
    const std::int32_t unit = std::max(to.exponent, term.exponent);
    const double own = power_of_two(to.exponent - unit), factor = power_of_two(term.exponent - unit);
    to.sum.scale(own);
    to.sum.add(term.sum.value * factor, term.sum.lost * factor);
    to.error = to.error * own + term.error * factor;
    to.exponent = unit;
}

inline double rest_of(std::int32_t packed) { return (packed >> kErrorBits) * kStep; }
inline double error_of(std::int32_t packed) {
    return std::bit_cast<double>(((packed & kLargestError) + kErrorBias) << kErrorShift);
}

// A number less than 2, and its error, which may not be larger either.
void store(const Long& number, double error, double& value, std::int32_t& packed) {
    value = number.total();
    const double rest = ((number.value - value) + number.lost) / kStep;
    const auto bits = std::bit_cast<std::int64_t>((error + kOfStore) * kUpwards);
    const auto steps =
        static_cast<std::int32_t>(std::clamp(std::nearbyint(rest), -1.0 * kLargestRest, 1.0 * kLargestRest));
    const std::int64_t code = std::min<std::int64_t>((bits >> kErrorShift) + 1 - kErrorBias, kLargestError);
    packed =
        static_cast<std::int32_t>(static_cast<std::uint32_t>(steps) << kErrorBits) | static_cast<std::int32_t>(code);
}

Term term_of(double value, std::int32_t packed, std::int32_t exponent) {
    return {{value, rest_of(packed)}, error_of(packed), exponent};
}

// By how much to scale terms of one exponent so that the larger of their sums and errors is from 1 to 2.
int excess(std::initializer_list<Term> terms) {
    double largest = 0;
    for (const Term& term : terms) largest = std::max({largest, term.sum.total(), term.error});
    return largest > 0 ? std::ilogb(largest) : 0;
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
        if (weight == 0) {
            terms[a] = kNothing;
            continue;
        }
        const double value = weight * from.g;
        const double rest = __builtin_fma(weight, from.g, -value) + weight * rest_of(from.g_rest);
        terms[a] = {{value, rest}, weight * error_of(from.g_rest), exponents[set] + from.exponent};
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
    Long sums[2];
    double error = 0;
    for (Set t = high;; t = (t - 1) & high) {
        for (int odd = 0; odd < 2; ++odd) {
            // The empty set is the last of the even ones.
            const int count = counts[odd] - (!t && !odd ? 1 : 0);
            const Term* from = terms + (c | t);
            Long sum;
            for (int k = 0; k < count; ++k) {
                const Term& term = from[of_size[odd][k]];
                const double factor = power_of_two(term.exponent - unit);
                sum.add(term.sum.value * factor, term.sum.lost * factor);
                error += term.error * factor;
            }
            sums[(size(t) + odd) & 1].add(sum.value, sum.lost);
        }
        if (!t) break;
    }
    error += kOfSum * (sums[0].total() + sums[1].total());
    sums[1].add(-sums[0].value, -sums[0].lost);
    return {sums[1], error, unit};
}

// Σ F(X) G(Y) + G(X) F(Y) and Σ H(X) G(Y) over the ways to split U into X, which has its lowest element, and Y ≠ ∅.
struct Splits {
    Term touching = kNothing, hanging = kNothing;
};

// The three sums of a state; its last lane, which has what lies behind them, is cleared.
inline __attribute__((always_inline)) Four values_of(const State& s) {
    constexpr Places kThree{-1, -1, -1, 0};
    Places bits;
    __builtin_memcpy(&bits, &s.f, sizeof bits);
    return reinterpret_cast<Four>(bits & kThree);
}
inline __attribute__((always_inline)) FourInts packed_of(const State& s) {
    constexpr FourInts kThree{-1, -1, -1, 0};
    FourInts bits;
    __builtin_memcpy(&bits, &s.f_rest, sizeof bits);
    return bits & kThree;
}
inline __attribute__((always_inline)) Four rests_of(FourInts packed) {
    return __builtin_convertvector(packed >> kErrorBits, Four) * kStep;
}
inline __attribute__((always_inline)) Four errors_of(FourInts packed) {
    return reinterpret_cast<Four>((__builtin_convertvector(packed & kLargestError, Places) + kErrorBias)
                                  << kErrorShift);
}
inline __attribute__((always_inline)) Four partners(Four v) { return __builtin_shuffle(v, Places{2, 2, 0, 3}); }
inline __attribute__((always_inline)) Four lost_in_product(Four a, Four b, Four product) {
    Four lost;
    for (int i = 0; i < 4; ++i) lost[i] = __builtin_fma(a[i], b[i], -product[i]);
    return lost;
}

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
    LongSum<Four> sum;
    Four error{0, 0, 0, 0};
    std::int32_t unit = kZero;
    for (Set x = high;; x = (x - 1) & high) {
        const std::uint32_t base = 2 * ternary[x | pivot];
        LongSum<Four> part;
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
                part.scale(factor);
                sum.scale(factor);
                error *= factor;
                unit += shift;
                shift = 0;
            }
            const double factor = power_of_two(shift);
            const FourInts packed = packed_of(one), packed_other = packed_of(other);
            const Four left = values_of(one), right = partners(values_of(other)) * factor, product = left * right;
            const Four right_rest = partners(rests_of(packed_other)) * factor;
            const Four right_error = partners(errors_of(packed_other)) * factor;
            part.add(product, lost_in_product(left, right, product) + (left * right_rest + rests_of(packed) * right));
            error += left * right_error + errors_of(packed) * (right + right_error);
        }
        sum.add(part.value, part.lost);
        if (!x) break;
    }
    error += kOfSum * sum.total();
    Term touching{{sum.value[0], sum.lost[0]}, error[0] + error[2], unit};
    touching.sum.add(sum.value[2], sum.lost[2]);
    return {touching, {{sum.value[1], sum.lost[1]}, error[1], unit}};
}

CHORDLEARN_CLONES
Splits sum_splits(const State* row, const std::uint32_t* ternary, Set u) {
    return sum_splits_of<false>(row, ternary, u, nullptr);
}

CHORDLEARN_CLONES
Splits sum_allowed_splits(const State* row, const std::uint32_t* ternary, Set u, const Set* required) {
    return sum_splits_of<true>(row, ternary, u, required);
}

constexpr State kNone{0, 0, 0, 0, 0, 0, kZero};

// Three terms of one exponent.
void put(State& to, const Term& touching, const Term& hanging, const Term& all, std::int32_t unit) {
    const int up = excess({touching, hanging, all});
    const double down = power_of_two(-up);
    store(scaled(touching.sum, down), touching.error * down, to.f, to.f_rest);
    store(scaled(hanging.sum, down), hanging.error * down, to.h, to.h_rest);
    store(scaled(all.sum, down), all.error * down, to.g, to.g_rest);
    to.exponent = unit + up;
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
        state(c, 0) = kNone;
        if (possible) state(c, 0).g = 1, state(c, 0).exponent = 0;
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
    const State& total = state(0, below(n_));
    if (total.g > 0) error_ = std::min(1.0, error_of(total.g_rest) / total.g);
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
        to = kNone;
        // Supersets weigh less, so the smallest have the largest exponent.
        std::int32_t unit = kZero;
        for_each(left, [&](int i) { unit = std::max(unit, scratch.terms[c | single(i)].exponent); });
        if (!allowed(set) || unit <= kZero) return;
        Term found = alternating_sum(scratch.terms.data(), c, left, unit);
        const double weight = weights_[set], quotient = found.sum.value / weight;
        found.sum = {quotient, (__builtin_fma(-quotient, weight, found.sum.value) + found.sum.lost) / weight};
        found.error /= weight;
        const int up = excess({found});
        const double down = power_of_two(-up);
        store(scaled(found.sum, down), found.error * down, to.f, to.f_rest);
        to.exponent = unit - exponents_[set] + up;
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
        Term touching = term_of(to.f, to.f_rest, to.exponent);
        const std::int32_t unit = std::max(to.exponent, splits.hanging.exponent);
        const double before = power_of_two(to.exponent - unit), factor = power_of_two(splits.hanging.exponent - unit);
        touching.sum.scale(before);
        touching.sum.add(-splits.touching.sum.value * factor, -splits.touching.sum.lost * factor);
        if (touching.sum.total() < 0) touching.sum = {};  // sums of weights are not negative
        touching.error = touching.error * before + splits.touching.error * factor;
        const Term hanging{scaled(splits.hanging.sum, factor), splits.hanging.error * factor, unit};
        put(to, touching, {}, hanging, unit);
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
        terms[k] = allowed(scratch.sets[k]) ? term_of(from.f, from.f_rest, from.exponent) : kNothing;
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
        Term all = term_of(to.g, to.g_rest, to.exponent), touching = term_of(to.f, to.f_rest, to.exponent);
        add(all, terms[k]);
        if (all.exponent <= kZero / 2) {
            to = kNone;
            continue;
        }
        const auto in_units = [&](const Term& term) {
            const double factor = power_of_two(term.exponent - all.exponent);
            return Term{scaled(term.sum, factor), term.error * factor, all.exponent};
        };
        put(to, in_units(touching), in_units(terms[k]), all, all.exponent);
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
    return {log + offset_, -std::log1p(-error_) + weight_error_ + rounded};
}

// Of a probability from sums in units of the whole sum.
Probability NetworkSums::stated(double share, double error) const {
    const double relative = error_ + 2 * weight_error_ + 8 * kUnit;
    const double bound = error_ < 1 ? (error + share * relative) / (1 - error_) : 1;
    return {std::clamp(share, 0.0, 1.0), std::min(1.0, bound)};
}

Probability NetworkSums::complete(Set set) const {
    const State &total = state(0, below(n_)), &own = state(set, below(n_) & ~set);
    if (!allowed(set) || !(total.g > 0)) return {0, 0};
    const double factor = weights_[set] * power_of_two(exponents_[set] + own.exponent - total.exponent) / total.g;
    return stated(own.g * factor, error_of(own.g_rest) * factor);
}

Probability NetworkSums::separated_by_complete(int a, int b, Set set) const {
    const State& total = state(0, below(n_));
    if (!allowed(set) || !(total.g > 0)) return {0, 0};
    const Set rest = below(n_) & ~set, free = rest & ~single(a) & ~single(b);
    Long sum;
    double error = 0;
    for (Set more = free;; more = (more - 1) & free) {
        const Set x = more | single(a), y = rest & ~x;
        if (!crosses(x, y)) {
            // X is a's own component.
            const State &own = state(set, x), &others = state(set, y);
            const double factor =
                weights_[set] * power_of_two(own.exponent + others.exponent + exponents_[set] - total.exponent);
            const double h_error = error_of(own.h_rest), g_error = error_of(others.g_rest);
            sum.add(own.h * others.g * factor, 0);
            error += (h_error * (others.g + g_error) + own.h * g_error) * factor;
        }
        if (!more) break;
    }
    return stated(sum.total() / total.g, error / total.g);
}

}  // namespace chordlearn
