#pragma once

#include <cstddef>
#include <cstdint>
#include <numeric>
#include <vector>

#include "common/control.hpp"
#include "scoring/coded_table.hpp"

namespace chordlearn {

constexpr std::uint8_t kNewGroup = 255;

// The loops over rows do not branch on them, because what a row does is unpredictable.
inline std::uint32_t select(std::uint32_t mask, std::uint32_t if_ones, std::uint32_t if_zeros) {
    return if_zeros ^ ((if_zeros ^ if_ones) & mask);
}

template <class Count>
struct Rows {
    std::vector<Count> count;
    std::vector<std::uint32_t> source;  // a row of the data that agrees with this one on the undecided variables
    std::vector<std::uint8_t> differs;
    std::size_t size = 0;

    void reserve(std::size_t rows) {
        if (count.size() >= rows) return;
        count.resize(rows);
        source.resize(rows);
        differs.resize(rows);
    }
};

// All rows, sorted so that the first variable of the order counts least, equal ones merged; none once it is stopped.
template <class Count>
Rows<Count> sorted_rows(const CodedTable& table, const std::vector<int>& order, const Control& control) {
    const std::size_t size = table.distinct();
    std::vector<std::uint32_t> sorted(size), next(size);
    std::iota(sorted.begin(), sorted.end(), 0U);
    for (const int variable : order) {
        if (control.stop.load()) return {};
        const auto& column = table.columns[static_cast<std::size_t>(variable)];
        std::vector<std::size_t> start(table.arities[static_cast<std::size_t>(variable)] + 1, 0);
        for (const std::uint32_t row : sorted) ++start[column[row] + std::size_t{1}];
        std::partial_sum(start.begin(), start.end(), start.begin());
        for (const std::uint32_t row : sorted) next[start[column[row]]++] = row;
        sorted.swap(next);
    }
    Rows<Count> rows;
    rows.reserve(size);
    for (std::size_t r = 0; r < size; ++r) {
        int position = kNewGroup;
        if (r > 0) {
            position = static_cast<int>(order.size()) - 1;
            const auto same = [&](int p) {
                const auto& column = table.columns[static_cast<std::size_t>(order[static_cast<std::size_t>(p)])];
                return column[sorted[r]] == column[sorted[r - 1]];
            };
            while (position >= 0 && same(position)) --position;
        }
        const auto weight = static_cast<Count>(table.weights[sorted[r]]);
        if (position < 0) {
            rows.count[rows.size - 1] += weight;
            continue;
        }
        rows.count[rows.size] = weight;
        rows.source[rows.size] = sorted[r];
        rows.differs[rows.size] = static_cast<std::uint8_t>(position);
        ++rows.size;
    }
    return rows;
}

}  // namespace chordlearn
