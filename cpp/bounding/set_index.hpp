#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <vector>

namespace chordlearn {

// A set of few variables out of many, in increasing order.
struct SmallSet {
    static constexpr int kMost = 12;

    int size = 0;
    std::array<std::uint16_t, kMost> at{};

    void push(int variable) { at[static_cast<std::size_t>(size++)] = static_cast<std::uint16_t>(variable); }
    const std::uint16_t* begin() const { return at.data(); }
    const std::uint16_t* end() const { return at.data() + size; }
    SmallSet without(int position) const;
    SmallSet joined(const SmallSet& other) const;  // of disjoint sets
    bool operator==(const SmallSet& other) const;
};

// Numbers all sets of 1 to K out of n variables: by size, and those of one size by their largest elements first.
class SetIndex {
public:
    SetIndex(int n, int largest);

    int n() const { return n_; }
    int largest() const { return largest_; }
    std::size_t count() const { return starts_.back(); }
    std::size_t first(int size) const { return starts_[static_cast<std::size_t>(size - 1)]; }  // of its size

    std::size_t number(const SmallSet& set) const;
    SmallSet set(std::size_t number) const;

    // How many sets of `size` have only elements below `end`, or all of them the elements before `end` in the order.
    std::size_t choose(int end, int size) const {
        return binomials_[static_cast<std::size_t>(end) * static_cast<std::size_t>(largest_ + 1) +
                          static_cast<std::size_t>(size)];
    }

    // Calls f(set) for each set of `size` variables, in the order of their numbers.
    template <class F>
    void for_each(int size, F&& f) const {
        if (size > n_) return;
        SmallSet set;
        for (int i = 0; i < size; ++i) set.push(i);
        for (;;) {
            f(set);
            int i = 0;
            while (i + 1 < size && set.at[static_cast<std::size_t>(i)] + 1 == set.at[static_cast<std::size_t>(i + 1)])
                ++i;
            if (i + 1 == size && set.at[static_cast<std::size_t>(i)] + 1 == n_) return;
            ++set.at[static_cast<std::size_t>(i)];
            for (int j = 0; j < i; ++j) set.at[static_cast<std::size_t>(j)] = static_cast<std::uint16_t>(j);
        }
    }

private:
    int n_, largest_;
    std::vector<std::size_t> binomials_;
    std::vector<std::size_t> starts_;
};

}  // namespace chordlearn
