#pragma once

#include <algorithm>
#include <atomic>
#include <cstddef>
#include <exception>
#include <mutex>
#include <thread>
#include <vector>

namespace chordlearn {

// Calls work(index) for every index below count, on up to `threads` threads. Which thread takes which index
// is left open, so work() must give results that do not depend on it. The first exception is rethrown.
template <class Work>
void parallel_for(std::size_t count, int threads, Work&& work) {
    if (threads <= 1 || count <= 1) {
        for (std::size_t i = 0; i < count; ++i) work(i);
        return;
    }
    std::atomic<std::size_t> next{0};
    std::exception_ptr failure;
    std::mutex guard;
    auto run = [&] {
        try {
            for (std::size_t i; (i = next.fetch_add(1)) < count;) work(i);
        } catch (...) {
            std::lock_guard lock(guard);
            if (!failure) failure = std::current_exception();
            next = count;
        }
    };
    const std::size_t most = std::min(static_cast<std::size_t>(threads), count);
    std::vector<std::thread> helpers;
    helpers.reserve(most);
    try {
        while (helpers.size() + 1 < most) helpers.emplace_back(run);
    } catch (const std::exception&) {
        // Where the system has no more threads to give, fewer do the same work.
    }
    run();
    for (auto& helper : helpers) helper.join();
    if (failure) std::rethrow_exception(failure);
}

}  // namespace chordlearn
