#pragma once

#include <chrono>
#include <thread>

#include "common/control.hpp"
#include "fuzz/bytes.hpp"

namespace chordlearn::fuzz {

// A run that another thread may stop, at a moment that the bytes say; most runs are left alone.
class Interruption {
public:
    explicit Interruption(Bytes& bytes) {
        const int kind = bytes.between(0, 15);
        if (kind == 1) control.stop = true;
        if (kind < 2 || kind > 3) return;
        const std::chrono::microseconds delay(bytes.word(2) % 3000);
        watcher_ = std::thread([this, delay] {
            std::this_thread::sleep_for(delay);
            control.done.load();
            control.score.load();
            control.stop = true;
        });
    }
    ~Interruption() {
        if (watcher_.joinable()) watcher_.join();
    }
    Interruption(const Interruption&) = delete;
    Interruption& operator=(const Interruption&) = delete;

    Control control;

private:
    std::thread watcher_;
};

}  // namespace chordlearn::fuzz
