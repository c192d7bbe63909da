#include "scoring/coded_table.hpp"

#include <limits>
#include <stdexcept>

namespace chordlearn {

CodedTable make_coded_table(const std::int32_t* codes, const std::int64_t* weights, std::size_t distinct,
                            const std::vector<std::int64_t>& arities) {
    constexpr std::int64_t kMostStates = std::int64_t{std::numeric_limits<std::uint16_t>::max()} + 1;
    if (distinct >= std::numeric_limits<std::uint32_t>::max())
        throw std::invalid_argument("there are 2^32 or more distinct rows");
    const std::size_t n = arities.size();
    CodedTable table;
    table.columns.assign(n, std::vector<std::uint16_t>(distinct));
    for (const std::int64_t arity : arities) {
        if (arity < 1) throw std::invalid_argument("a variable has no state");
        if (arity > kMostStates) throw std::invalid_argument("a variable has more than 65536 states");
        table.arities.push_back(static_cast<std::uint32_t>(arity));
    }
    for (std::size_t r = 0; r < distinct; ++r) {
        for (std::size_t i = 0; i < n; ++i) {
            const std::int32_t code = codes[r * n + i];
            if (code < 0 || code >= arities[i]) throw std::invalid_argument("a code is outside its variable's states");
            table.columns[i][r] = static_cast<std::uint16_t>(code);
        }
    }
    table.weights.reserve(distinct);
    for (std::size_t r = 0; r < distinct; ++r) {
        if (weights[r] <= 0) throw std::invalid_argument("a weight is not positive");
        const auto weight = static_cast<std::uint64_t>(weights[r]);
        // Beyond 2^53 a count is no longer exact as a double.
        if (weight > (std::uint64_t{1} << 53) - table.rows)
            throw std::invalid_argument("the weights sum to more than 2^53");
        table.rows += weight;
        table.weights.push_back(weight);
    }
    return table;
}

}  // namespace chordlearn
