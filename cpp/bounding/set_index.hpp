#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <vector>

namespace chordlearn {

// A set of few variables out of many, in increasing order.
struct SmallSet {
    static constexpr int kMost = 24;  // with its parts a larger set would be too many

    int size = 0;
    std::array<std::uint16_t, kMost> at{};

    void push(int variable) { at[static_cast<std::size_t>(size++)] = static_cast<std::uint16_t>(variable); }
    const std::uint16_t* begin() const { return at.data(); }
    const std::uint16_t* end() const { return at.data() + size; }
    SmallSet without(int position) const;
    SmallSet joined(const SmallSet& other) const;  // of disjoint sets
    bool operator==(const SmallSet& other) const;
};

// Numbers sets of variables by size, the single variables first: all sets of 1 to K out of n variables, those of one
// size by their largest elements first; or sets that are listed.
class SetIndex {
public:
    static constexpr std::size_t kNone = std::numeric_limits<std::size_t>::max();

    SetIndex(int n, int largest);
    // The sets given, increasing, each with all its parts: the members of one after those of the other, and where they
    // end.
    SetIndex(int n, const std::vector<std::uint16_t>& members, const std::vector<std::size_t>& ends);

    int n() const { return n_; }
    int largest() const { return largest_; }
    std::size_t count() const { return starts_.back(); }
    std::size_t first(int size) const { return starts_[static_cast<std::size_t>(size - 1)]; }  // of its size
    std::size_t end(int size) const { return starts_[static_cast<std::size_t>(size)]; }

    std::size_t number(const SmallSet& set) const;  // kNone if it is not among those listed
    SmallSet set(std::size_t number) const;

    // Of all sets, how many of `size` have only elements below `end`, or all of them the elements before `end` in the
    // order.
    std::size_t choose(int end, int size) const {
        return binomials_[static_cast<std::size_t>(end) * static_cast<std::size_t>(largest_ + 1) +
                          static_cast<std::size_t>(size)];
    }

    // Calls f(number, set) for each set of `size` variables, in the order of their numbers.
    template <class F>
    void for_each(int size, F&& f) const {
        if (size > largest_) return;
        if (is_listed_)
            for (std::size_t number = first(size); number < end(size); ++number) f(number, set(number));
        else
            for_each_of_all(size, f);
    }

private:
    template <class F>
    void for_each_of_all(int size, F&& f) const {
        SmallSet set;
        for (int i = 0; i < size; ++i) set.push(i);
        for (std::size_t number = first(size);; ++number) {
            f(number, set);
            int i = 0;
            while (i + 1 < size && set.at[static_cast<std::size_t>(i)] + 1 == set.at[static_cast<std::size_t>(i + 1)])
                ++i;
            if (i + 1 == size && set.at[static_cast<std::size_t>(i)] + 1 == n_) return;
            ++set.at[static_cast<std::size_t>(i)];
            for (int j = 0; j < i; ++j) set.at[static_cast<std::size_t>(j)] = static_cast<std::uint16_t>(j);
        }
    }

    std::uint64_t key_of(const SmallSet& set) const;
    const std::uint16_t* members(std::size_t number, int size) const {
        return &members_[first_member_[static_cast<std::size_t>(size - 1)] +
                         (number - first(size)) * static_cast<std::size_t>(size)];
    }

    int n_, largest_;
    bool is_listed_ = false;
    std::vector<std::size_t> binomials_;
    std::vector<std::size_t> starts_;
    // Of sets that are listed: the members by number, and a hash table of numbers.
    std::vector<std::uint16_t> members_;
    std::vector<std::size_t> first_member_;  // by size
    std::vector<std::uint64_t> keys_;        // by variable
    std::vector<std::uint32_t> slots_;
};

}  // namespace chordlearn
