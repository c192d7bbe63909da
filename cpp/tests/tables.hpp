#pragma once

#include <cstdint>
#include <random>
#include <vector>

#include "scoring/coded_table.hpp"

namespace chordlearn {

inline CodedTable random_table(unsigned seed, std::size_t distinct, const std::vector<std::int64_t>& arities,
                               std::int64_t largest_weight) {
    std::mt19937 random(seed);
    std::vector<std::int32_t> codes;
    std::vector<std::int64_t> weights;
    for (std::size_t r = 0; r < distinct; ++r) {
        for (const std::int64_t arity : arities) codes.push_back(static_cast<std::int32_t>(random() % arity));
        weights.push_back(1 + static_cast<std::int64_t>(random()) % largest_weight);
    }
    return make_coded_table(codes.data(), weights.data(), distinct, arities);
}

// Columns of two states, each of which mostly repeats the one before: chains are worth learning.
inline CodedTable chained_table(unsigned seed, std::size_t rows, int variables) {
    std::mt19937 random(seed);
    std::vector<std::int32_t> codes;
    for (std::size_t r = 0; r < rows; ++r) {
        std::int32_t code = static_cast<std::int32_t>(random() % 2);
        for (int i = 0; i < variables; ++i) {
            if (random() % 4 == 0) code = 1 - code;
            codes.push_back(code);
        }
    }
    return make_coded_table(codes.data(), std::vector<std::int64_t>(rows, 1).data(), rows,
                            std::vector<std::int64_t>(static_cast<std::size_t>(variables), 2));
}

}  // namespace chordlearn
