#pragma once

#include <cstddef>
#include <cstdint>

namespace chordlearn::fuzz {

// Reads numbers from the bytes of a case; after the last byte everything is 0.
class Bytes {
public:
    Bytes(const std::uint8_t* data, std::size_t size) : data_(data), end_(data + size) {}

    bool left() const { return data_ != end_; }
    std::uint8_t byte() { return data_ == end_ ? std::uint8_t{0} : *data_++; }
    std::uint64_t word(int bytes) {
        std::uint64_t word = 0;
        for (int i = 0; i < bytes; ++i) word = word << 8 | byte();
        return word;
    }
    bool flag() { return byte() & 1; }
    bool one_in(int chances) { return byte() % chances == chances - 1; }  // rare where there are no bytes left
    // From `least` to `most`, both included; a single byte where that is enough.
    int between(int least, int most) {
        const auto count = static_cast<std::uint64_t>(most - least) + 1;
        return least + static_cast<int>(word(count <= 256 ? 1 : 4) % count);
    }
    // From 0 to 1.
    double share() { return static_cast<double>(word(2)) / 65535.0; }

private:
    const std::uint8_t* data_;
    const std::uint8_t* end_;
};

}  // namespace chordlearn::fuzz
