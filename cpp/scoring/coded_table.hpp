#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

namespace chordlearn {

// Rows of coded values, stored by column, and how often each occurs.
struct CodedTable {
    std::vector<std::vector<std::uint16_t>> columns;
    std::vector<std::uint64_t> weights;
    std::vector<std::uint32_t> arities;
    std::uint64_t rows = 0;  // sum of the weights

    int variables() const { return static_cast<int>(columns.size()); }
    std::size_t distinct() const { return weights.size(); }
};

// Copies row-major codes (distinct rows x variables) and checks every code against its arity.
CodedTable make_coded_table(const std::int32_t* codes, const std::int64_t* weights, std::size_t distinct,
                            const std::vector<std::int64_t>& arities);

}  // namespace chordlearn
