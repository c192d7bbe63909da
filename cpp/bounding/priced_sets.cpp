#include "bounding/priced_sets.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <stdexcept>
#include <tuple>

#include "common/random.hpp"

namespace chordlearn {

namespace {

constexpr double kFinest = 0x1p30;   // units in 1, if the scores are small enough
constexpr double kLargest = 0x1p58;  // units that weights inside a set sum to
constexpr int kPriceBits = 61;       // units that cuts may change the worth of a set by
constexpr double kLimit = 0x1p120;   // units that no sum of worths reaches
constexpr double kRounding = 2e-15;  // relative, of a score less those of its variables

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

PricedSets::PricedSets(const SetIndex& index, const std::vector<double>& scores, const Control& control)
    : index_(index), control_(&control) {
    weigh(scores);
    least_score_ = least_of_families();
}

void PricedSets::weigh(const std::vector<double>& scores) {
    const auto n = static_cast<std::size_t>(index_.n());
    double largest = 1;
    for (const double score : scores)
        if (std::isfinite(score)) largest = std::max(largest, std::fabs(score));
    // The Moebius weights inside a set are sums of so many interactions together, each of at most size + 1 scores.
    const double terms = std::pow(3.0, index_.largest()) * (index_.largest() + 1);
    scale_ = kFinest;
    while (largest * (terms * scale_) > kLargest) scale_ /= 2;
    // A network has at most n cliques and n separators.
    error_ = 2 * static_cast<double>(n) * (0.5 / scale_ + 4 * kRounding * largest);
    for (std::size_t i = 0; i < n; ++i) {
        if (!std::isfinite(scores[i])) throw std::invalid_argument("every variable needs a finite score");
        independent_ += scores[i];
    }
    weights_.assign(scores.size(), 0);
    for (int size = 2; size <= index_.largest(); ++size) {
        std::size_t number = index_.first(size);
        index_.for_each(size, [&](const SmallSet& set) {
            control_->check();
            Units& weight = weights_[number];
            if (std::isfinite(scores[number])) {
                double interaction = scores[number];
                for (const int i : set) interaction -= scores[static_cast<std::size_t>(i)];
                Units parts = 0;
                for_each_part(index_, set, [&](std::size_t part) { parts += weights_[part]; });
                weight = std::llround(interaction * scale_) - parts;
                ++left_;
            } else {
                weight = kExcluded;
            }
            ++number;
        });
    }
}

// A network is worth a family of each variable, or nothing where it has no neighbours before it.
double PricedSets::least_of_families() {
    worths_ = weights_;
    best_worth_.assign(static_cast<std::size_t>(index_.n()), 0);
    add_parts();
    std::vector<Units> least(static_cast<std::size_t>(index_.n()), 0);
    for_each_family([&](int child, std::size_t, Units worth) {
        Units& own = least[static_cast<std::size_t>(child)];
        own = std::min(own, worth);
    });
    __int128 total = 0;
    for (const Units worth : least) total += worth;
    return independent_ + static_cast<double>(total) / scale_ - error_;
}

double PricedSets::family_weight(const SmallSet& family, int child) const {
    if (is_excluded(index_.number(family))) return 0;
    Units sum = 0;
    for_each_part(index_, family, [&](std::size_t part) { sum += weights_[part]; });
    SmallSet rest;
    for (const int variable : family)
        if (variable != child) rest.push(variable);
    for_each_part(index_, rest, [&](std::size_t part) { sum -= weights_[part]; });
    return static_cast<double>(sum) / scale_;
}

std::size_t PricedSets::place_of(const Cut& cut) {
    std::uint64_t key = static_cast<std::uint64_t>(cut.with) + cut.is_edge;
    const auto mix = [&](std::uint64_t value) { key = Random(key ^ value).bits(); };
    for (const int variable : cut.apart) mix(static_cast<std::uint64_t>(variable));
    mix(~std::uint64_t{0});
    for (const int variable : cut.among) mix(static_cast<std::uint64_t>(variable));
    const auto [first, last] = places_.equal_range(key);
    for (auto known = first; known != last; ++known)
        if (cuts_[known->second] == cut) return known->second;
    places_.emplace(key, cuts_.size());
    cuts_.push_back(cut);
    return cuts_.size() - 1;
}

double PricedSets::price(const std::vector<std::pair<std::size_t, double>>& multipliers) {
    bound_ = kUnpriced;
    worths_ = weights_;
    __int128 total = 0;
    std::vector<std::pair<std::size_t, Units>> added;
    // A set has fewer than 2^largest parts, and a cut changes the price of each by at most its multiplier.
    Units left = Units{1} << (kPriceBits - index_.largest());
    for (const auto& [place, multiplier] : multipliers) {
        if (!(multiplier > 0)) continue;
        const Units units = std::min<Units>(left, std::llround(std::min(multiplier * scale_, 0x1p62)));
        left -= units;
        total += static_cast<__int128>(units) * constant_of(cut(place));
        if (cut(place).is_edge)
            add_edge(cut(place), units);
        else if (units > 0)
            added.emplace_back(place, units);
    }
    add_cuts(std::move(added));
    for (const std::size_t edge : closed_)
        for_each_superset(edge, [&](std::size_t number) {
            control_->check();
            worths_[number] = kExcluded;
        });
    add_parts();
    best_worth_.assign(static_cast<std::size_t>(index_.n()), 0);
    for_each_family([&](int child, std::size_t, Units worth) {
        Units& best = best_worth_[static_cast<std::size_t>(child)];
        best = std::max(best, worth);
    });
    for (const Units worth : best_worth_) total += worth;
    bound_ = total;
    return independent_ + static_cast<double>(bound_) / scale_ + error_;
}

void PricedSets::add_edge(const Cut& cut, Units units) {
    for_each_term(cut, index_, [&](std::size_t number, int coefficient) {
        if (worths_[number] != kExcluded) worths_[number] += coefficient * units;
    });
}

// Cuts that are seen from the same set touch many sets in common.
void PricedSets::add_cuts(std::vector<std::pair<std::size_t, Units>> cuts) {
    const auto key = [&](const auto& added) {
        const SmallSet& apart = cut(added.first).apart;
        return std::tie(apart.size, apart.at);
    };
    std::sort(cuts.begin(), cuts.end(), [&](const auto& a, const auto& b) { return key(a) < key(b); });
    for (auto first = cuts.begin(); first != cuts.end();) {
        const auto last = std::find_if(first, cuts.end(), [&](const auto& added) { return key(added) != key(*first); });
        add_cuts_around(cut(first->first).apart, {first, last});
        first = last;
    }
}

// Goes through the sets around T depth first, with one bit for each cut whose C holds all of them.
void PricedSets::add_cuts_around(const SmallSet& apart, const std::vector<std::pair<std::size_t, Units>>& cuts) {
    const std::size_t words = (cuts.size() + 63) / 64;
    const int most = index_.largest() - apart.size;
    std::vector<std::vector<std::uint64_t>> holding(static_cast<std::size_t>(index_.n()));
    std::vector<int> variables;
    for (std::size_t k = 0; k < cuts.size(); ++k)
        for (const int variable : cut(cuts[k].first).among) {
            auto& bits = holding[static_cast<std::size_t>(variable)];
            if (bits.empty()) {
                bits.assign(words, 0);
                variables.push_back(variable);
            }
            bits[k / 64] |= std::uint64_t{1} << (k % 64);
        }
    std::sort(variables.begin(), variables.end());
    std::vector<std::vector<std::uint64_t>> common(static_cast<std::size_t>(most) + 1,
                                                   std::vector<std::uint64_t>(words, ~std::uint64_t{0}));
    SmallSet chosen;
    const auto walk = [&](const auto& again, std::size_t from) -> void {
        for (std::size_t v = from; v < variables.size(); ++v) {
            control_->check();
            const auto& above = common[static_cast<std::size_t>(chosen.size)];
            auto& bits = common[static_cast<std::size_t>(chosen.size) + 1];
            const auto& own = holding[static_cast<std::size_t>(variables[v])];
            std::uint64_t any = 0;
            for (std::size_t w = 0; w < words; ++w) any |= bits[w] = above[w] & own[w];
            if (!any) continue;
            chosen.push(variables[v]);
            const std::size_t number = index_.number(apart.joined(chosen));
            const bool is_single = apart.size + chosen.size == 1;
            if (is_single || worths_[number] != kExcluded) {
                Units sum = 0;
                for (std::size_t w = 0; w < words && !is_single; ++w)
                    for (std::uint64_t left = bits[w]; left; left &= left - 1) {
                        const auto& [place, units] = cuts[64 * w + static_cast<std::size_t>(std::countr_zero(left))];
                        if (chosen.size > 1 || cuts_[place].with != variables[v]) sum += units;
                    }
                if (!is_single) worths_[number] += chosen.size % 2 ? sum : -sum;
                if (chosen.size < most) again(again, v + 1);
            }
            --chosen.size;
        }
    };
    if (most > 0) walk(walk, 0);
}

// From prices to worths, the largest sets first, so that each still finds the prices of its parts.
void PricedSets::add_parts() {
    for (int size = index_.largest(); size > 2; --size) {
        std::size_t number = index_.first(size);
        index_.for_each(size, [&](const SmallSet& set) {
            control_->check();
            if (worths_[number] != kExcluded) {
                Units worth = 0;
                for_each_part(index_, set, [&](std::size_t part) { worth += worths_[part]; });
                worths_[number] = worth;
            }
            ++number;
        });
    }
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

// Calls f(child, set, worth) for every family of two variables or more.
template <class F>
void PricedSets::for_each_family(F&& f) const {
    for (int size = 2; size <= index_.largest(); ++size) {
        std::size_t number = index_.first(size);
        index_.for_each(size, [&](const SmallSet& set) {
            control_->check();
            for (int i = 0; worths_[number] != kExcluded && i < size; ++i) {
                const Units rest = size == 2 ? 0 : worths_[index_.number(set.without(i))];
                f(static_cast<int>(set.at[static_cast<std::size_t>(i)]), number, worths_[number] - rest);
            }
            ++number;
        });
    }
}

std::vector<PricedSets::Family> PricedSets::families_above(const std::vector<double>& shares, std::size_t most) const {
    std::vector<std::vector<Family>> above(shares.size());
    for_each_family([&](int child, std::size_t number, Units units) {
        const auto own = static_cast<std::size_t>(child);
        const double worth = static_cast<double>(units) / scale_;
        if (worth > shares[own]) above[own].push_back({child, number, worth});
    });
    std::vector<Family> dearest;
    for (auto& own : above) {
        const auto kept = static_cast<std::ptrdiff_t>(std::min(most, own.size()));
        std::partial_sort(own.begin(), own.begin() + kept, own.end(), [](const Family& a, const Family& b) {
            return std::tie(b.worth, a.set) < std::tie(a.worth, b.set);
        });
        dearest.insert(dearest.end(), own.begin(), own.begin() + kept);
    }
    return dearest;
}

std::vector<double> PricedSets::best_worths() const {
    std::vector<double> worths;
    for (const Units worth : best_worth_) worths.push_back(static_cast<double>(worth) / scale_);
    return worths;
}

std::size_t PricedSets::exclude_below(double lower) {
    // A little lower than asked for, so that rounding excludes nothing that reaches it.
    const double units = std::floor((lower - independent_ - error_) * scale_) - 1;
    const auto least = static_cast<__int128>(std::min(std::max(-kLimit, units), kLimit));
    std::size_t excluded = 0;
    for (int size = 2; size <= index_.largest(); ++size) {
        std::size_t number = index_.first(size);
        index_.for_each(size, [&](const SmallSet& set) {
            control_->check();
            if (weights_[number] != kExcluded) {
                bool out = worths_[number] == kExcluded;
                if (!out) {
                    // A complete set may come first in the elimination order: its variables are then worth what it is.
                    __int128 with = bound_;
                    for (const int i : set) with -= best_worth_[static_cast<std::size_t>(i)];
                    out = with + worths_[number] < least;
                }
                for (int i = 0; size > 2 && i < size; ++i) out |= is_excluded(index_.number(set.without(i)));
                if (out) {
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

}  // namespace chordlearn
