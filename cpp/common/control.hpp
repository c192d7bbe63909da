#pragma once

#include <atomic>
#include <cstdint>
#include <exception>
#include <limits>

namespace chordlearn {

// Thrown inside the core when a run is asked to stop; the caller keeps what it had.
struct Stopped : std::exception {
    const char* what() const noexcept override { return "stopped"; }
};

// Shared between a run and the thread that watches it.
struct Control {
    std::atomic<bool> stop{false};
    std::atomic<std::uint64_t> done{0};
    std::atomic<double> score{-std::numeric_limits<double>::infinity()};  // of the best network so far

    void check() const {
        if (stop.load(std::memory_order_relaxed)) throw Stopped{};
    }
};

// For work that nobody watches.
inline const Control& unwatched() {
    static const Control control;
    return control;
}

}  // namespace chordlearn
