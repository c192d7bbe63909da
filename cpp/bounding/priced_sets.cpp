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

}  // namespace

PricedSets::PricedSets(const SetIndex& index, const std::vector<double>& scores, const Control& control)
    : index_(index), control_(&control) {
    if (index.count() > std::numeric_limits<std::uint32_t>::max())
        throw std::invalid_argument("there are too many sets");
    round(scores);
    list_steps();
    weights_ = values_;
    for (const auto& steps : steps_)
        for (const auto& [set, part] : steps) weights_[set] -= weights_[part];
    least_score_ = least_of_families();
}

void PricedSets::round(const std::vector<double>& scores) {
    const auto n = static_cast<std::size_t>(index_.n());
    double largest = 1;
    for (const double score : scores)
        if (std::isfinite(score)) largest = std::max(largest, std::fabs(score));
    // Moebius weights, and sums of those of some parts of a set, are sums of so many scores.
    const double terms = std::pow(2.0, index_.largest()) * (index_.largest() + 1);
    scale_ = kFinest;
    while (largest * (terms * scale_) > kLargest) scale_ /= 2;
    // A network has at most n cliques and n separators.
    error_ = 2 * static_cast<double>(n) * (0.5 / scale_ + 4 * kRounding * largest);
    for (std::size_t i = 0; i < n; ++i) {
        if (!std::isfinite(scores[i])) throw std::invalid_argument("every variable needs a finite score");
        independent_ += scores[i];
    }
    values_.assign(scores.size(), 0);
    for (int size = 2; size <= index_.largest(); ++size)
        index_.for_each(size, [&](std::size_t number, const SmallSet& set) {
            control_->check();
            values_[number] = kExcluded;
            if (!std::isfinite(scores[number])) return;
            double interaction = scores[number];
            for (const int i : set) interaction -= scores[static_cast<std::size_t>(i)];
            values_[number] = std::llround(interaction * scale_);
            ++left_;
        });
}

void PricedSets::list_steps() {
    steps_.assign(static_cast<std::size_t>(index_.n()), {});
    for (int size = 2; size <= index_.largest(); ++size)
        index_.for_each(size, [&](std::size_t number, const SmallSet& set) {
            control_->check();
            if (values_[number] == kExcluded) return;
            for (int i = 0; i < size; ++i)
                steps_[set.at[static_cast<std::size_t>(i)]].push_back(
                    {static_cast<std::uint32_t>(number), static_cast<std::uint32_t>(index_.number(set.without(i)))});
        });
}

// A network is worth a family of each variable, or nothing where it has no neighbours before it.
double PricedSets::least_of_families() {
    worths_ = values_;
    best_worth_.assign(static_cast<std::size_t>(index_.n()), 0);
    __int128 total = 0;
    for (std::size_t child = 0; child < steps_.size(); ++child) {
        Units least = 0;
        for_each_family(child, [&](std::size_t, Units worth) { least = std::min(least, worth); });
        total += least;
    }
    return independent_ + static_cast<double>(total) / scale_ - error_;
}

double PricedSets::family_weight(const SmallSet& family, int child) const {
    const std::size_t number = index_.number(family);
    // A variable alone is worth nothing, and the empty set has no number.
    if (family.size == 1 || is_excluded(number)) return 0;
    const int position = static_cast<int>(std::find(family.begin(), family.end(), child) - family.begin());
    return static_cast<double>(values_[number] - values_[index_.number(family.without(position))]) / scale_;
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
    for (const auto& steps : steps_) {
        control_->check();
        for (const auto& [set, part] : steps) worths_[set] += worths_[part];
    }
    close_edges();
    for (std::size_t child = 0; child < steps_.size(); ++child) {
        Units& best = best_worth_[child] = 0;
        for_each_family(child, [&](std::size_t, Units worth) { best = std::max(best, worth); });
        total += best;
    }
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
            if (is_single || !is_excluded(number)) {
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

void PricedSets::close_edges() {
    if (closed_.empty()) return;
    std::vector<std::vector<char>> is_closed(static_cast<std::size_t>(index_.n()),
                                             std::vector<char>(static_cast<std::size_t>(index_.n()), 0));
    for (const std::size_t edge : closed_) {
        const SmallSet pair = index_.set(edge);
        is_closed[pair.at[0]][pair.at[1]] = 1;
    }
    for (int size = 2; size <= index_.largest(); ++size)
        index_.for_each(size, [&](std::size_t number, const SmallSet& set) {
            control_->check();
            for (int i = 0; i < size; ++i)
                for (int j = i + 1; j < size; ++j)
                    if (is_closed[set.at[static_cast<std::size_t>(i)]][set.at[static_cast<std::size_t>(j)]])
                        worths_[number] = kExcluded;
        });
}

// Calls f(set, worth) for every family of a child of two variables or more.
template <class F>
void PricedSets::for_each_family(std::size_t child, F&& f) const {
    control_->check();
    for (const auto& [set, part] : steps_[child])
        if (worths_[set] != kExcluded) f(set, worths_[set] - worths_[part]);
}

std::vector<PricedSets::Family> PricedSets::families_above(const std::vector<double>& shares, std::size_t most) const {
    std::vector<Family> own, dearest;
    for (std::size_t child = 0; child < shares.size(); ++child) {
        own.clear();
        for_each_family(child, [&](std::size_t number, Units units) {
            const double worth = static_cast<double>(units) / scale_;
            if (worth > shares[child] && !is_excluded(number)) own.push_back({static_cast<int>(child), number, worth});
        });
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
    for (int size = 2; size <= index_.largest(); ++size)
        index_.for_each(size, [&](std::size_t number, const SmallSet& set) {
            control_->check();
            if (weights_[number] == kExcluded) return;
            bool out = worths_[number] == kExcluded;
            if (!out) {
                // A complete set may come first in the elimination order: its variables are then worth what it is.
                __int128 with = bound_;
                for (const int i : set) with -= best_worth_[static_cast<std::size_t>(i)];
                out = with + worths_[number] < least;
            }
            for (int i = 0; size > 2 && i < size; ++i) out |= is_excluded(index_.number(set.without(i)));
            if (!out) return;
            weights_[number] = kExcluded;
            --left_;
            ++excluded;
        });
    for (auto& steps : steps_) std::erase_if(steps, [&](const Step& step) { return is_excluded(step.set); });
    return excluded;
}

}  // namespace chordlearn
