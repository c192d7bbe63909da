#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "common/bits.hpp"
#include "common/random.hpp"
#include "engine/instance.hpp"

namespace chordlearn {

// An algebra for Program: a state is worth the best score that hanging U below C adds, and the best of another way to
// hang it. The same part of a network is reached in many ways; a key made of its edges tells. Keys are random words of
// 64 bits, added without carry: should two parts have the same one, the second best is missed.
class BestTwo {
public:
    struct Part {
        double score;
        std::uint64_t key;
    };
    using Value = std::array<Part, 2>;

    explicit BestTwo(int n) : n_(n), keys_(static_cast<std::size_t>(n) * static_cast<std::size_t>(n)) {
        Random random(1);
        for (int b = 0; b < n; ++b)
            for (int a = 0; a < b; ++a) keys_[place(a, b)] = keys_[place(b, a)] = random.bits();
    }

    const Value& nothing() const { return nothing_; }
    const Value& start() const { return start_; }
    static bool is_nothing(const Value& value) { return value[0].score == kMinusInfinity; }
    static double most(const Value& value) { return value[0].score; }

    void improve(Value& into, const Value& value) const {
        insert(into, value[0]);
        insert(into, value[1]);
    }
    Value grown(const Value& value, double gain, Set c, int i) const {
        std::uint64_t key = 0;
        for_each(c, [&](int j) { key ^= keys_[place(i, j)]; });
        return {{{value[0].score + gain, value[0].key ^ key}, {value[1].score + gain, value[1].key ^ key}}};
    }
    Value joined(const Value& one, const Value& other) const {
        Value out{{joined(one[0], other[0]), joined(one[0], other[1])}};
        insert(out, joined(one[1], other[0]));
        return out;
    }
    Value without(const Value& value, const Value& other) const {
        Value out = nothing_;
        for (const Part& part : value)
            if (part.key != other[0].key && part.key != other[1].key) insert(out, part);
        return out;
    }

private:
    static Part joined(const Part& one, const Part& other) { return {one.score + other.score, one.key ^ other.key}; }

    static void insert(Value& into, const Part& part) {
        if (!(part.score > into[1].score) || part.key == into[0].key) return;
        if (part.score > into[0].score) {
            into[1] = into[0];
            into[0] = part;
        } else {
            into[1] = part;
        }
    }
    std::size_t place(int a, int b) const {
        return static_cast<std::size_t>(a) * static_cast<std::size_t>(n_) + static_cast<std::size_t>(b);
    }

    int n_;
    std::vector<std::uint64_t> keys_;
    // What cannot be has a key that no part has; a part without edges has 0.
    static constexpr std::uint64_t kNoKey = 0x9e3779b97f4a7c15ULL;
    Value nothing_{{{kMinusInfinity, kNoKey}, {kMinusInfinity, kNoKey}}};
    Value start_{{{0, 0}, {kMinusInfinity, kNoKey}}};
};

}  // namespace chordlearn
