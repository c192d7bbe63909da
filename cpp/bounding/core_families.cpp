#include "bounding/core_families.hpp"

#include <algorithm>

namespace chordlearn {

CoreFamilies::CoreFamilies(const PricedSets& sets, const std::vector<std::pair<int, std::size_t>>& families,
                           const Control& control)
    : index_(sets.index()) {
    const auto n = static_cast<std::size_t>(index_.n());
    std::vector<std::pair<int, std::size_t>> sorted = families;
    std::sort(sorted.begin(), sorted.end());
    sorted.erase(std::unique(sorted.begin(), sorted.end()), sorted.end());
    sets_of_.resize(n);
    holding_.resize(n);
    first_family_.assign(n + 1, 0);
    first_part_.push_back(0);
    for (const auto& [child, number] : sorted) {
        control.check();
        const SmallSet family = index_.set(number);
        for (unsigned part = 1; part < 1u << family.size; ++part) {
            SmallSet inside;
            bool holds_child = false;
            for (int i = 0; i < family.size; ++i)
                if (part >> i & 1) {
                    inside.push(family.at[static_cast<std::size_t>(i)]);
                    holds_child |= family.at[static_cast<std::size_t>(i)] == child;
                }
            if (holds_child && inside.size > 1) parts_.push_back(place_of(sets, inside));
        }
        auto& own = sets_of_[static_cast<std::size_t>(child)];
        own.insert(own.end(), parts_.begin() + static_cast<std::ptrdiff_t>(first_part_.back()), parts_.end());
        family_set_.push_back(number);
        first_part_.push_back(parts_.size());
        ++first_family_[static_cast<std::size_t>(child) + 1];
    }
    for (std::size_t i = 0; i < n; ++i) {
        first_family_[i + 1] += first_family_[i];
        std::sort(sets_of_[i].begin(), sets_of_[i].end());
        sets_of_[i].erase(std::unique(sets_of_[i].begin(), sets_of_[i].end()), sets_of_[i].end());
    }
}

CoreFamilies::Place CoreFamilies::place_of(const PricedSets& sets, const SmallSet& set) {
    const std::size_t number = index_.number(set);
    const auto [found, is_new] = places_.try_emplace(number, static_cast<Place>(members_.size()));
    if (is_new) {
        for (const int variable : set) holding_[static_cast<std::size_t>(variable)].push_back(found->second);
        members_.push_back(set);
        weights_.push_back(sets.weight(number));
    }
    return found->second;
}

CoreFamilies::Place CoreFamilies::family(int child, std::size_t number) const {
    const auto begin = family_set_.begin();
    return static_cast<Place>(std::lower_bound(begin + first_of(child), begin + end_of(child), number) - begin);
}

std::vector<CoreFamilies::Term> CoreFamilies::terms(const Cut& cut) const {
    std::vector<Term> terms;
    // Whatever takes fewer steps: all sets that the cut speaks of, or all that could be among them.
    double spoken_of = 0, chosen = 1;
    const int most = std::min(index_.largest() - cut.apart.size, static_cast<int>(cut.among.size()));
    for (int size = 1; size <= most; ++size)
        spoken_of += chosen *= (static_cast<double>(cut.among.size()) - size + 1) / size;
    const std::vector<Place>* held = nullptr;
    for (const int variable : cut.apart) {
        const auto& holding = holding_[static_cast<std::size_t>(variable)];
        if (!held || holding.size() < held->size()) held = &holding;
    }
    constexpr double kLookup = 4;  // steps that finding a set takes
    if (kLookup * spoken_of < static_cast<double>(held ? held->size() : sets())) {
        for_each_term(cut, index_, [&](std::size_t number, int coefficient) {
            if (const auto found = places_.find(number); found != places_.end())
                terms.push_back({found->second, coefficient});
        });
        return terms;
    }
    std::vector<char> belongs(static_cast<std::size_t>(index_.n()), false);
    for (const int variable : cut.apart) belongs[static_cast<std::size_t>(variable)] = true;
    for (const int variable : cut.among) belongs[static_cast<std::size_t>(variable)] = true;
    const auto add = [&](Place place) {
        const SmallSet& set = members_[place];
        for (const int variable : set)
            if (!belongs[static_cast<std::size_t>(variable)]) return;
        if (const int coefficient = coefficient_of(cut, set)) terms.push_back({place, coefficient});
    };
    if (held)
        for (const Place place : *held) add(place);
    else
        for (Place place = 0; place < members_.size(); ++place) add(place);
    return terms;
}

}  // namespace chordlearn
