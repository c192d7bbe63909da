#include "families/prices.hpp"

#include <algorithm>
#include <cmath>
#include <stdexcept>

namespace chordlearn {

namespace {

constexpr Units kMostUnits = Units{1} << 52;  // of all multipliers together; doubles hold such numbers exactly

}  // namespace

Prices::Prices(int n, const std::vector<Cut>& cuts, const std::vector<double>& multipliers, double scale) {
    if (cuts.size() != multipliers.size()) throw std::invalid_argument("every cut needs a multiplier");
    Units left = kMostUnits;
    for (std::size_t k = 0; k < cuts.size(); ++k) {
        const Cut& cut = cuts[k];
        for (const int variable : cut.apart)
            if (variable >= n) throw std::out_of_range("there is no such variable");
        for (const int variable : cut.among)
            if (variable >= n) throw std::out_of_range("there is no such variable");
        if (!(multipliers[k] > 0)) continue;
        const Units units = std::min<Units>(left, std::llround(std::min(multipliers[k] * scale, 0x1p62)));
        left -= units;
        if (units == 0) continue;
        cuts_.push_back({cut, units});
        if (cuts_.back().has_constant()) constant_ += units;
    }
}

Units Prices::of(const std::vector<int>& set) const {
    const auto holds = [&](int variable) { return std::find(set.begin(), set.end(), variable) != set.end(); };
    Units sum = 0;
    for (const auto& [cut, units] : cuts_) {
        if (cut.is_edge) {
            if (std::all_of(cut.among.begin(), cut.among.end(), holds)) sum += units;
        } else if (std::all_of(cut.apart.begin(), cut.apart.end(), holds) &&
                   std::any_of(cut.among.begin(), cut.among.end(), holds) && !(cut.with >= 0 && holds(cut.with))) {
            sum += units;
        }
    }
    return sum;
}

PricedWalk::PricedWalk(int n, const Prices& prices) : occurrences_(static_cast<std::size_t>(n)) {
    for (const auto& [cut, units] : prices.cuts()) {
        const auto place = static_cast<std::uint32_t>(terms_.size());
        const auto occurs = [&](int variable, Role role) {
            occurrences_[static_cast<std::size_t>(variable)].emplace_back(place, role);
        };
        for (const int variable : cut.apart) occurs(variable, Role::all);
        for (const int variable : cut.among)
            occurs(variable, cut.is_edge ? Role::all : variable == cut.with ? Role::with : Role::any);
        terms_.push_back({units, cut.is_edge ? static_cast<int>(cut.among.size()) : cut.apart.size, !cut.is_edge});
    }
}

void PricedWalk::move(int variable, int step) {
    for (const auto& [place, role] : occurrences_[static_cast<std::size_t>(variable)]) {
        Term& term = terms_[place];
        value_ -= term.worth();
        switch (role) {
            case Role::all: term.missing -= step; break;
            case Role::any: term.met += step; break;
            case Role::with: term.is_barred += step; break;
        }
        value_ += term.worth();
    }
}

}  // namespace chordlearn
