#pragma once

#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <stdexcept>

#include "common/control.hpp"
#include "fuzz/bytes.hpp"

// A broken promise ends the process, so that whoever drives it keeps the case.
#define EXPECT(condition)                                                                \
    do {                                                                                 \
        if (!(condition)) {                                                              \
            std::fprintf(stderr, "%s:%d: broken: %s\n", __FILE__, __LINE__, #condition); \
            std::abort();                                                                \
        }                                                                                \
    } while (false)

// What a driver of cases calls. A run may be stopped, and a case that cannot be may be refused; nothing else may leave
// it.
#define FUZZ_TARGET(run)                                                                \
    extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) { \
        chordlearn::fuzz::Bytes bytes(data, size);                                      \
        try {                                                                           \
            run(bytes);                                                                 \
        } catch (const chordlearn::Stopped&) {                                          \
        } catch (const std::invalid_argument&) {                                        \
        }                                                                               \
        return 0;                                                                       \
    }
