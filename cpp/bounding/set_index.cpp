#include "bounding/set_index.hpp"

#include <algorithm>
#include <stdexcept>

namespace chordlearn {

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

std::size_t SetIndex::number(const SmallSet& set) const {
    std::size_t number = first(set.size);
    for (int i = 0; i < set.size; ++i) number += choose(set.at[static_cast<std::size_t>(i)], i + 1);
    return number;
}

SmallSet SetIndex::set(std::size_t number) const {
    int size = 1;
    while (number >= first(size + 1)) ++size;
    number -= first(size);
    SmallSet set;
    set.size = size;
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
