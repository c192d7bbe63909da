#include "families/left_sets.hpp"

#include <algorithm>
#include <atomic>
#include <cmath>
#include <cstdlib>
#include <limits>
#include <stdexcept>

#include "common/parallel.hpp"
#include "common/random.hpp"
#include "scoring/some_sets.hpp"

namespace chordlearn {

namespace {

constexpr std::uint32_t kMissing = std::numeric_limits<std::uint32_t>::max();
constexpr double kLowest = -0x1p60;  // units; no set that scores less is left
constexpr double kHighest = 0x1p60;

struct TooMany {};

// Goes through the sets whose first member is given, the smallest members first.
class Growth {
public:
    struct Found {
        std::vector<std::uint16_t> sizes, members;
        std::vector<Units> scores, worths;
    };

    Growth(const FamilyBounds& bounds, const std::vector<Units>& most, __int128 slack, std::atomic<std::size_t>& count,
           std::size_t limit, const Control& control)
        : bounds_(bounds),
          space_(bounds.space()),
          most_(most),
          slack_(slack),
          count_(count),
          limit_(limit),
          control_(control),
          scorer_(space_.table, space_.options),
          prices_(bounds.n(), bounds.prices()) {}

    Found run(int first) {
        std::vector<int> later;
        for (int i = first + 1; i < bounds_.n(); ++i) later.push_back(i);
        Units score, worth;
        if (may_be_complete(first, score, worth)) {
            keep(score, worth);
            grow(later);
        }
        return std::move(found_);
    }

private:
    struct Extension {
        int variable;
        Units score, worth;
    };

    // Adds a variable to the set if the larger set is left.
    bool may_be_complete(int variable, Units& score, Units& worth) {
        control_.check();
        for (const int other : set_)
            if (space_.is_forbidden(other, variable)) return false;
        push(variable);
        const double real = scorer_.score(set_) * bounds_.scale();
        if (real > kLowest) {
            score = std::llround(real);
            worth = score + prices_.value();
            __int128 loss = -static_cast<__int128>(worth);
            for (const int member : set_) loss += most_[static_cast<std::size_t>(member)];
            if (loss <= slack_) return true;
        }
        pop();
        return false;
    }

    void push(int variable) {
        set_.push_back(variable);
        prices_.push(variable);
    }

    void pop() {
        prices_.pop(set_.back());
        set_.pop_back();
    }

    void keep(Units score, Units worth) {
        if (++count_ > limit_) throw TooMany{};
        found_.sizes.push_back(static_cast<std::uint16_t>(set_.size()));
        for (const int member : set_) found_.members.push_back(static_cast<std::uint16_t>(member));
        found_.scores.push_back(score);
        found_.worths.push_back(worth);
    }

    void grow(const std::vector<int>& candidates) {
        if (static_cast<int>(set_.size()) > space_.most_parents) return;
        std::vector<Extension> left;
        for (const int variable : candidates) {
            Extension extension{variable, 0, 0};
            if (!may_be_complete(variable, extension.score, extension.worth)) continue;
            pop();
            left.push_back(extension);
        }
        std::vector<int> later;
        for (std::size_t k = 0; k < left.size(); ++k) {
            later.clear();
            for (std::size_t other = k + 1; other < left.size(); ++other) later.push_back(left[other].variable);
            push(left[k].variable);
            keep(left[k].score, left[k].worth);
            grow(later);
            pop();
        }
    }

    const FamilyBounds& bounds_;
    const ParentSpace& space_;
    const std::vector<Units>& most_;
    __int128 slack_;
    std::atomic<std::size_t>& count_;
    std::size_t limit_;
    const Control& control_;
    SetScorer scorer_;
    PricedWalk prices_;  // of the set
    std::vector<int> set_;
    Found found_;
};

}  // namespace

LeftSets::LeftSets(const FamilyBounds& bounds, double lower)
    : scale_(bounds.scale()),
      error_(rounding_of_networks(bounds.n(), bounds.largest_score(), bounds.scale())),
      n_(bounds.n()),
      lower_(lower),
      bound_(bounds.bound()),
      prices_(bounds.prices()) {}

std::optional<LeftSets> LeftSets::of(const FamilyBounds& bounds, double lower, std::size_t most, int threads,
                                     Control& control) {
    LeftSets sets(bounds, lower);
    std::vector<Units> of_children;
    __int128 slack = -static_cast<__int128>(sets.prices_.constant()) - sets.lower_in_units();
    for (int i = 0; i < sets.n_; ++i) {
        of_children.push_back(bounds.most(i));
        if (of_children.back() == FamilyBounds::kUnbounded) return std::nullopt;
        slack += of_children.back();
    }
    std::vector<Growth::Found> found(static_cast<std::size_t>(sets.n_));
    std::atomic<std::size_t> count{0};
    try {
        parallel_for(found.size(), threads, [&](std::size_t first) {
            found[first] = Growth(bounds, of_children, slack, count, most, control).run(static_cast<int>(first));
        });
    } catch (const TooMany&) {
        return std::nullopt;
    }
    for (Growth::Found& own : found) {
        for (const std::uint16_t size : own.sizes) sets.ends_.push_back(sets.ends_.back() + size);
        sets.members_.insert(sets.members_.end(), own.members.begin(), own.members.end());
        sets.scores_.insert(sets.scores_.end(), own.scores.begin(), own.scores.end());
        sets.worths_.insert(sets.worths_.end(), own.worths.begin(), own.worths.end());
        own = {};
    }
    Units largest = 1;
    for (const Units score : sets.scores_) largest = std::max(largest, std::abs(score));
    sets.error_ = rounding_of_networks(sets.n_, static_cast<double>(largest) / sets.scale_, sets.scale_);
    sets.find_parts(control);
    return sets;
}

std::vector<int> LeftSets::set(std::size_t place) const {
    if (place >= count()) throw std::out_of_range("there is no such set");
    const auto first = members_.begin();
    return {first + static_cast<std::ptrdiff_t>(ends_[place]), first + static_cast<std::ptrdiff_t>(ends_[place + 1])};
}

int LeftSets::largest() const {
    std::size_t largest = 0;
    for (std::size_t set = 1; set < ends_.size(); ++set) largest = std::max(largest, ends_[set] - ends_[set - 1]);
    return static_cast<int>(largest);
}

std::vector<double> LeftSets::scores() const {
    std::vector<double> scores;
    for (std::size_t set = 1; set < ends_.size(); ++set) scores.push_back(static_cast<double>(scores_[set]) / scale_);
    return scores;
}

// A little less than asked for, so that rounding excludes nothing that reaches it.
__int128 LeftSets::lower_in_units() const {
    return static_cast<Units>(std::floor(std::clamp((lower_ - error_) * scale_, kLowest, kHighest))) - 1;
}

// Looks for the sets that lack one member by a sum of random numbers of the members.
void LeftSets::find_parts(const Control& control) {
    Random random(1);
    std::vector<std::uint64_t> keys_of(static_cast<std::size_t>(n_));
    for (std::uint64_t& key : keys_of) key = random.bits();
    std::size_t slots = 2;
    while (slots < 2 * ends_.size()) slots *= 2;
    std::vector<std::uint32_t> table(slots, kMissing);
    std::vector<std::uint64_t> keys(ends_.size(), 0);
    for (std::size_t set = 0; set < ends_.size(); ++set) {
        control.check();
        for (std::size_t k = begin(set); k < ends_[set]; ++k) keys[set] ^= keys_of[members_[k]];
        std::size_t slot = keys[set] & (slots - 1);
        while (table[slot] != kMissing) slot = (slot + 1) & (slots - 1);
        table[slot] = static_cast<std::uint32_t>(set);
    }
    const auto is_part = [&](std::size_t part, std::size_t set, std::size_t without) {
        std::size_t own = begin(part);
        if (ends_[part] - own + 1 != ends_[set] - begin(set)) return false;
        for (std::size_t k = begin(set); k < ends_[set]; ++k)
            if (k != without && members_[own++] != members_[k]) return false;
        return true;
    };
    parts_.assign(members_.size(), kMissing);
    for (std::size_t set = 1; set < ends_.size(); ++set) {
        control.check();
        for (std::size_t k = begin(set); k < ends_[set]; ++k) {
            std::size_t slot = (keys[set] ^ keys_of[members_[k]]) & (slots - 1);
            while (table[slot] != kMissing && !is_part(table[slot], set, k)) slot = (slot + 1) & (slots - 1);
            parts_[k] = table[slot];
        }
    }
}

void LeftSets::price(const std::vector<Cut>& cuts, const std::vector<double>& multipliers, const Control& control) {
    prices_ = Prices(n_, cuts, multipliers, scale_);
    PricedWalk walk(n_, prices_);
    std::vector<std::uint16_t> held;
    for (std::size_t set = 1; set < ends_.size(); ++set) {
        control.check();
        // Sets that follow each other share their beginning.
        const std::size_t size = ends_[set] - begin(set);
        std::size_t same = 0;
        while (same < std::min(size, held.size()) && held[same] == members_[begin(set) + same]) ++same;
        for (; held.size() > same; held.pop_back()) walk.pop(held.back());
        for (; held.size() < size; held.push_back(members_[begin(set) + held.size()]))
            walk.push(members_[begin(set) + held.size()]);
        worths_[set] = scores_[set] + walk.value();
    }
    shrink(control);
}

void LeftSets::shrink(const Control& control) {
    for (bool has_changed = true; has_changed;) {
        std::vector<Units> most(static_cast<std::size_t>(n_), std::numeric_limits<Units>::min());
        for (std::size_t set = 1; set < ends_.size(); ++set) {
            control.check();
            for (std::size_t k = begin(set); k < ends_[set]; ++k)
                if (parts_[k] != kMissing)
                    most[members_[k]] = std::max(most[members_[k]], worths_[set] - worths_[parts_[k]]);
        }
        __int128 total = -static_cast<__int128>(prices_.constant());
        bool is_possible = true;
        for (const Units own : most) {
            is_possible = is_possible && own != std::numeric_limits<Units>::min();
            total += own;
        }
        const double bound =
            is_possible ? static_cast<double>(total) / scale_ + error_ : -std::numeric_limits<double>::infinity();
        bound_ = std::min(bound_, std::nextafter(bound, std::numeric_limits<double>::infinity()));
        const __int128 slack = total - lower_in_units();
        // Sets in the order of their sizes, so that what lacks a part goes with it.
        std::vector<std::uint32_t> place_of(ends_.size(), kMissing);
        std::vector<std::vector<std::uint32_t>> by_size;
        for (std::size_t set = 1; set < ends_.size(); ++set) {
            const std::size_t size = ends_[set] - begin(set);
            if (by_size.size() <= size) by_size.resize(size + 1);
            by_size[size].push_back(static_cast<std::uint32_t>(set));
        }
        std::vector<char> is_left(ends_.size(), 0);
        is_left[0] = is_possible && slack >= 0;
        for (const auto& sets : by_size)
            for (const std::uint32_t set : sets) {
                control.check();
                __int128 loss = -static_cast<__int128>(worths_[set]);
                bool is_closed = true;
                for (std::size_t k = begin(set); k < ends_[set]; ++k) {
                    loss += most[members_[k]];
                    is_closed = is_closed && parts_[k] != kMissing && is_left[parts_[k]];
                }
                is_left[set] = is_closed && loss <= slack;
            }
        std::size_t kept = 1, out = 0;
        place_of[0] = 0;
        for (std::size_t set = 1, from = 0; set < ends_.size(); ++set) {
            const std::size_t until = ends_[set];
            if (is_left[set]) {
                for (std::size_t k = from; k < until; ++k, ++out) {
                    members_[out] = members_[k];
                    parts_[out] = parts_[k];
                }
                place_of[set] = static_cast<std::uint32_t>(kept);
                scores_[kept] = scores_[set];
                worths_[kept] = worths_[set];
                ends_[kept] = out;
                ++kept;
            }
            from = until;
        }
        has_changed = kept < ends_.size();
        ends_.resize(kept);
        scores_.resize(kept);
        worths_.resize(kept);
        members_.resize(out);
        parts_.resize(out);
        for (std::uint32_t& part : parts_) part = place_of[part];
    }
}

}  // namespace chordlearn
