#include "bounding/set_index.hpp"

#include <algorithm>
#include <stdexcept>

#include "common/random.hpp"

namespace chordlearn {

namespace {

constexpr std::uint32_t kFree = std::numeric_limits<std::uint32_t>::max();

}  // namespace

SmallSet SmallSet::without(int position) const {
    SmallSet rest;
    for (int i = 0; i < size; ++i)
        if (i != position) rest.push(at[static_cast<std::size_t>(i)]);
    return rest;
}

SmallSet SmallSet::joined(const SmallSet& other) const {
    SmallSet both;
    both.size = size + other.size;
    std::merge(begin(), end(), other.begin(), other.end(), both.at.begin());
    return both;
}

bool SmallSet::operator==(const SmallSet& other) const {
    return size == other.size && std::equal(begin(), end(), other.begin());
}

SetIndex::SetIndex(int n, int largest) : n_(n), largest_(std::min(largest, n)) {
    if (largest_ > SmallSet::kMost) throw std::invalid_argument("the sets are too large to be numbered");
    const auto width = static_cast<std::size_t>(largest_ + 1);
    binomials_.assign((static_cast<std::size_t>(n) + 1) * width, 0);
    for (std::size_t a = 0; a <= static_cast<std::size_t>(n); ++a) {
        binomials_[a * width] = 1;
        for (std::size_t k = 1; a > 0 && k < width; ++k)
            binomials_[a * width + k] = binomials_[(a - 1) * width + k] + binomials_[(a - 1) * width + k - 1];
    }
    starts_.push_back(0);
    for (int size = 1; size <= largest_; ++size) starts_.push_back(starts_.back() + choose(n, size));
}

SetIndex::SetIndex(int n, const std::vector<std::uint16_t>& members, const std::vector<std::size_t>& ends)
    : n_(n), largest_(0), is_listed_(true) {
    std::vector<std::size_t> counts(SmallSet::kMost + 1, 0);
    for (std::size_t k = 0; k < ends.size(); ++k) {
        const std::size_t begin = k ? ends[k - 1] : 0;
        if (ends[k] <= begin || ends[k] > members.size()) throw std::invalid_argument("a set has no members");
        const std::size_t size = ends[k] - begin;
        if (size > SmallSet::kMost) throw std::invalid_argument("the sets are too large to be numbered");
        for (std::size_t i = begin; i < ends[k]; ++i)
            if (members[i] >= n || (i > begin && members[i] <= members[i - 1]))
                throw std::invalid_argument("the members of a set must increase, and be variables");
        ++counts[size];
        largest_ = std::max(largest_, static_cast<int>(size));
    }
    if (counts[1] != static_cast<std::size_t>(n)) throw std::invalid_argument("every variable must be a set once");
    if (ends.size() >= kFree) throw std::invalid_argument("there are too many sets");
    starts_.push_back(0);
    for (int size = 1; size <= largest_; ++size) {
        first_member_.push_back(members_.size());
        starts_.push_back(starts_.back() + counts[static_cast<std::size_t>(size)]);
        members_.resize(members_.size() + counts[static_cast<std::size_t>(size)] * static_cast<std::size_t>(size));
    }
    std::vector<std::size_t> next(starts_);
    for (std::size_t k = 0; k < ends.size(); ++k) {
        const std::size_t begin = k ? ends[k - 1] : 0;
        const int size = static_cast<int>(ends[k] - begin);
        const std::size_t number = size == 1 ? members[begin] : next[static_cast<std::size_t>(size - 1)]++;
        std::copy_n(members.begin() + static_cast<std::ptrdiff_t>(begin), size,
                    members_.begin() + (this->members(number, size) - members_.data()));
    }
    Random random(1);
    for (int i = 0; i < n; ++i) keys_.push_back(random.bits());
    std::size_t slots = 2;
    while (slots < 2 * count()) slots *= 2;
    slots_.assign(slots, kFree);
    for (std::size_t number = 0; number < count(); ++number) {
        const SmallSet own = set(number);
        std::size_t slot = key_of(own) & (slots - 1);
        while (slots_[slot] != kFree) {
            if (set(slots_[slot]) == own) throw std::invalid_argument("a set is listed twice");
            slot = (slot + 1) & (slots - 1);
        }
        slots_[slot] = static_cast<std::uint32_t>(number);
        for (int i = 0; own.size > 1 && i < own.size; ++i)
            if (this->number(own.without(i)) == kNone)
                throw std::invalid_argument("sets must be listed with all their parts");
    }
}

std::uint64_t SetIndex::key_of(const SmallSet& set) const {
    std::uint64_t key = 0;
    for (const int variable : set) key ^= keys_[static_cast<std::size_t>(variable)];
    return key;
}

std::size_t SetIndex::number(const SmallSet& set) const {
    if (is_listed_) {
        if (set.size > largest_) return kNone;
        std::size_t slot = key_of(set) & (slots_.size() - 1);
        for (; slots_[slot] != kFree; slot = (slot + 1) & (slots_.size() - 1)) {
            const std::size_t found = slots_[slot];
            if (found >= first(set.size) && found < end(set.size) &&
                std::equal(set.begin(), set.end(), members(found, set.size)))
                return found;
        }
        return kNone;
    }
    std::size_t number = first(set.size);
    for (int i = 0; i < set.size; ++i) number += choose(set.at[static_cast<std::size_t>(i)], i + 1);
    return number;
}

SmallSet SetIndex::set(std::size_t number) const {
    int size = 1;
    while (number >= first(size + 1)) ++size;
    SmallSet set;
    set.size = size;
    if (is_listed_) {
        std::copy_n(members(number, size), size, set.at.begin());
        return set;
    }
    number -= first(size);
    int end = n_;
    for (int i = size; i > 0; --i) {
        // The largest element with which no more than `number` sets come before.
        int low = i - 1, high = end - 1;
        while (low < high) {
            const int middle = (low + high + 1) / 2;
            if (choose(middle, i) <= number)
                low = middle;
            else
                high = middle - 1;
        }
        set.at[static_cast<std::size_t>(i - 1)] = static_cast<std::uint16_t>(low);
        number -= choose(low, i);
        end = low;
    }
    return set;
}

}  // namespace chordlearn
