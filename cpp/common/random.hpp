#pragma once

#include <cstdint>

namespace chordlearn {

// splitmix64: small, fast, the same on every machine.
class Random {
public:
    explicit Random(std::uint64_t seed) : state_(seed) {}

    std::uint64_t bits() {
        std::uint64_t z = (state_ += 0x9e3779b97f4a7c15ULL);
        z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9ULL;
        z = (z ^ (z >> 27)) * 0x94d049bb133111ebULL;
        return z ^ (z >> 31);
    }
    // Uniform in [0, count).
    std::uint32_t below(std::uint32_t count) { return static_cast<std::uint32_t>((bits() >> 32) * count >> 32); }
    // Uniform in (0, 1].
    double unit() { return static_cast<double>((bits() >> 11) + 1) * 0x1p-53; }
    // Random(state()) goes on where this one is.
    std::uint64_t state() const { return state_; }

private:
    std::uint64_t state_;
};

}  // namespace chordlearn
