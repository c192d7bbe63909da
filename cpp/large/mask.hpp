#pragma once

#include <cstdint>

namespace chordlearn {

// A set of at most 128 variables.
struct Mask {
    static constexpr int kMost = 128;

    std::uint64_t low = 0, high = 0;

    static Mask one(int i) { return i < 64 ? Mask{std::uint64_t{1} << i, 0} : Mask{0, std::uint64_t{1} << (i - 64)}; }
    static Mask below(int n) {
        const auto ones = [](int count) { return count >= 64 ? ~std::uint64_t{0} : (std::uint64_t{1} << count) - 1; };
        return n < 64 ? Mask{ones(n), 0} : Mask{ones(64), ones(n - 64)};
    }

    friend bool operator==(const Mask&, const Mask&) = default;
    friend Mask operator&(Mask a, Mask b) { return {a.low & b.low, a.high & b.high}; }
    friend Mask operator|(Mask a, Mask b) { return {a.low | b.low, a.high | b.high}; }
    friend Mask operator^(Mask a, Mask b) { return {a.low ^ b.low, a.high ^ b.high}; }
    friend Mask operator~(Mask a) { return {~a.low, ~a.high}; }

    bool empty() const { return (low | high) == 0; }
    bool has(int i) const { return ((i < 64 ? low >> i : high >> (i - 64)) & 1) != 0; }
    int size() const { return __builtin_popcountll(low) + __builtin_popcountll(high); }
    int lowest() const { return low ? __builtin_ctzll(low) : 64 + __builtin_ctzll(high); }
    Mask without_lowest() const { return low ? Mask{low & (low - 1), high} : Mask{0, high & (high - 1)}; }
};

// Calls f(i) for each element, in increasing order.
template <class F>
inline void for_each(Mask set, F&& f) {
    for (; !set.empty(); set = set.without_lowest()) f(set.lowest());
}

}  // namespace chordlearn
