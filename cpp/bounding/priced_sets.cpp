#include "bounding/priced_sets.hpp"

#include <algorithm>
#include <cmath>
#include <stdexcept>

#include "common/random.hpp"

namespace chordlearn {

namespace {

constexpr double kFinest = 0x1p30;    // units in 1, if the scores are small enough
constexpr double kLargest = 0x1p58;   // units
constexpr double kRounding = 2e-15;   // relative, of a score less those of its variables

// Calls f(number) for each part of two elements or more, the set itself included.
template <class F>
void for_each_part(const SetIndex& index, const SmallSet& set, F&& f) {
    for (unsigned part = 1; part < 1u << set.size; ++part) {
        if ((part & (part - 1)) == 0) continue;
        SmallSet inside;
        for (int i = 0; i < set.size; ++i)
            if (part >> i & 1) inside.push(set.at[static_cast<std::size_t>(i)]);
        f(index.number(inside));
    }
}

}  // namespace

PricedSets::PricedSets(const SetIndex& index, const std::vector<double>& scores,
                       const std::vector<std::size_t>& required)
    : index_(index) {
    weigh(scores);
    for (const std::size_t edge : required) fixed_.emplace_back(edge, 1);
}

void PricedSets::weigh(const std::vector<double>& scores) {
    const auto n = static_cast<std::size_t>(index_.n());
    double largest = 1;
    for (const double score : scores)
        if (std::isfinite(score)) largest = std::max(largest, std::fabs(score));
    const double terms = std::ldexp(1.0, index_.largest());
    scale_ = kFinest;
    while (largest * static_cast<double>(index_.largest()) * terms * scale_ > kLargest) scale_ /= 2;
    // At most n cliques and n separators.
    error_ = 2 * static_cast<double>(n) * (0.5 / scale_ + 4 * kRounding * largest);
    for (std::size_t i = 0; i < n; ++i) {
        if (!std::isfinite(scores[i])) throw std::invalid_argument("every variable needs a finite score");
        independent_ += scores[i];
    }
    weights_.assign(scores.size(), 0);
    for (int size = 2; size <= index_.largest(); ++size) {
        std::size_t number = index_.first(size);
        index_.for_each(size, [&](const SmallSet& set) {
            if (std::isfinite(scores[number])) {
                double interaction = scores[number];
                for (const int i : set) interaction -= scores[static_cast<std::size_t>(i)];
                weights_[number] = std::llround(interaction * scale_);
                for_each_part(index_, set, [&](std::size_t part) {
                    if (part != number) weights_[number] -= weights_[part];
                });
                ++left_;
            } else {
                weights_[number] = kExcluded;
            }
            ++number;
        });
    }
}

std::size_t PricedSets::place_of(const Cut& cut) {
    std::uint64_t key = static_cast<std::uint64_t>(cut.with);
    for (const int variable : cut.apart) key = Random(key ^ static_cast<std::uint64_t>(variable)).bits();
    key = Random(~key).bits();
    for (const int variable : cut.among) key = Random(key ^ static_cast<std::uint64_t>(variable)).bits();
    const auto [first, last] = places_.equal_range(key);
    for (auto known = first; known != last; ++known)
        if (cuts_[known->second] == cut) return known->second;
    places_.emplace(key, cuts_.size());
    cuts_.push_back(cut);
    return cuts_.size() - 1;
}

double PricedSets::price(const std::vector<std::pair<std::size_t, double>>& multipliers,
                         const std::vector<Facet>& facets) {
    prices_ = weights_;
    __int128 total = 0;
    const auto add = [&](std::size_t number, Units units) {
        if (prices_[number] != kExcluded) prices_[number] += units;
    };
    for (const auto& [place, multiplier] : multipliers) {
        if (!(multiplier > 0)) continue;
        const Units units = std::llround(std::min(multiplier * scale_, kLargest));
        total += static_cast<__int128>(units) * constant_of(cuts_[place]);
        for_each_term(cuts_[place], index_,
                      [&](std::size_t number, int coefficient) { add(number, coefficient * units); });
    }
    for (const Facet& facet : facets) {
        if (!(facet.multiplier > 0) || prices_[facet.set] == kExcluded || prices_[facet.part] == kExcluded) continue;
        const Units units = std::llround(std::min(facet.multiplier * scale_, kLargest));
        add(facet.set, -units);
        add(facet.part, units);
    }
    close_edges();
    move_down();
    for (const Units price : prices_)
        if (price > 0) total += price;
    for (const auto& [edge, state] : fixed_)
        if (state > 0) total += std::min<Units>(prices_[edge], 0);
    bound_ = static_cast<Units>(std::clamp<__int128>(total, -(__int128{1} << 62), __int128{1} << 62));
    return independent_ + static_cast<double>(bound_) / scale_ + error_;
}

template <class F>
void PricedSets::for_each_superset(std::size_t edge, F&& f) const {
    const SmallSet pair = index_.set(edge);
    std::vector<std::uint16_t> others;
    for (int i = 0; i < index_.n(); ++i)
        if (i != pair.at[0] && i != pair.at[1]) others.push_back(static_cast<std::uint16_t>(i));
    f(edge);
    SmallSet extra;
    const auto walk = [&](const auto& again, std::size_t from) -> void {
        for (std::size_t k = from; k < others.size(); ++k) {
            extra.push(others[k]);
            f(index_.number(pair.joined(extra)));
            if (extra.size + 2 < index_.largest()) again(again, k + 1);
            --extra.size;
        }
    };
    if (index_.largest() > 2) walk(walk, 0);
}

void PricedSets::close_edges() {
    for (const auto& [edge, state] : fixed_)
        if (state < 0) for_each_superset(edge, [&](std::size_t number) { prices_[number] = kExcluded; });
}

void PricedSets::move_down() {
    for (int size = index_.largest(); size > 2; --size) {
        const std::size_t end = size == index_.largest() ? index_.count() : index_.first(size + 1);
        for (std::size_t number = index_.first(size); number < end; ++number) {
            if (prices_[number] <= 0) continue;
            const SmallSet set = index_.set(number);
            while (prices_[number] > 0) {
                std::size_t part = 0;
                Units lowest = 0;
                for (int i = 0; i < size; ++i) {
                    const std::size_t facet = index_.number(set.without(i));
                    if (prices_[facet] < lowest) {
                        lowest = prices_[facet];
                        part = facet;
                    }
                }
                if (lowest == 0) break;
                const Units moved = std::min(prices_[number], -lowest);
                prices_[number] -= moved;
                prices_[part] += moved;
            }
        }
    }
}

std::vector<std::size_t> PricedSets::positive(std::size_t most) const {
    std::vector<std::size_t> numbers;
    for (std::size_t number = index_.first(2); number < prices_.size(); ++number)
        if (prices_[number] > 0) numbers.push_back(number);
    const auto dearer = [&](std::size_t a, std::size_t b) {
        return prices_[a] != prices_[b] ? prices_[a] > prices_[b] : a < b;
    };
    most = std::min(most, numbers.size());
    std::partial_sort(numbers.begin(), numbers.begin() + static_cast<std::ptrdiff_t>(most), numbers.end(), dearer);
    numbers.resize(most);
    return numbers;
}

bool PricedSets::is_there(std::size_t edge) const {
    return std::any_of(fixed_.begin(), fixed_.end(),
                       [&](const auto& known) { return known.first == edge && known.second > 0; });
}

std::size_t PricedSets::exclude_below(double lower) {
    // A little lower than asked for, so that rounding excludes nothing that reaches it.
    const double units = std::floor((lower - independent_ - error_) * scale_) - 1;
    const auto least = static_cast<__int128>(std::max(units, -kLargest));
    std::size_t excluded = 0;
    for (int size = 2; size <= index_.largest(); ++size) {
        std::size_t number = index_.first(size);
        index_.for_each(size, [&](const SmallSet& set) {
            if (weights_[number] != kExcluded) {
                __int128 with = bound_;
                for_each_part(index_, set, [&](std::size_t part) {
                    if (weights_[part] == kExcluded)
                        with = least - 1;
                    else if (prices_[part] < 0 && !(index_.first(3) > part && is_there(part)))
                        with += prices_[part];
                });
                if (with < least) {
                    weights_[number] = kExcluded;
                    --left_;
                    ++excluded;
                }
            }
            ++number;
        });
    }
    return excluded;
}

void PricedSets::fix(std::size_t edge, int state) {
    std::erase_if(fixed_, [&](const auto& known) { return known.first == edge; });
    if (state != 0) fixed_.emplace_back(edge, state);
}

}  // namespace chordlearn
