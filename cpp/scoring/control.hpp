#pragma once

#include <atomic>
#include <cstdint>

namespace chordlearn {

// Shared between a long computation and whoever watches it.
struct Control {
    std::atomic<bool> stop{false};
    std::atomic<std::uint64_t> done{0};
};

}  // namespace chordlearn
