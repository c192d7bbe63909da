#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "scoring/cell_terms.hpp"
#include "scoring/sum.hpp"

namespace chordlearn {

// Counts of the groups of one row, which stay alone: how many of each small count, and a list of the large ones.
template <class Count>
class SingletonGroups {
public:
    static constexpr std::size_t kSmall = 32;
    struct Mark {
        std::array<std::uint32_t, kSmall> few;
        std::size_t many;
        std::size_t top;
    };

    Mark mark() const { return {few_, many_.size(), top_}; }
    void restore(const Mark& mark) {
        few_ = mark.few;
        many_.resize(mark.many);
        top_ = mark.top;
    }
    void add(Count count) {
        if (count >= kSmall) {
            many_.push_back(count);
            return;
        }
        ++few_[static_cast<std::size_t>(count)];
        top_ = std::max(top_, static_cast<std::size_t>(count) + 1);
    }
    void add_to(Sum& sum, const CellTerms& terms) const {
        double few = 0.0;
        for (std::size_t c = 1; c < top_; ++c) {
            if (few_[c] != 0) few += few_[c] * terms(c);
        }
        sum.add(few);
        add_terms(sum, many_.size(), [&](std::size_t i) { return terms(many_[i]); });
    }

private:
    std::array<std::uint32_t, kSmall> few_{};
    std::vector<Count> many_;
    std::size_t top_ = 0;
};

}  // namespace chordlearn
