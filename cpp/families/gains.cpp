#include "families/gains.hpp"

#include <algorithm>
#include <limits>

namespace chordlearn {

Gains::Gains(int n, int child, const Prices& prices, double scale)
    : occurrences_(static_cast<std::size_t>(n)), inside_(static_cast<std::size_t>(n), 0) {
    for (const auto& [cut, units] : prices.cuts()) {
        const bool is_apart = std::find(cut.apart.begin(), cut.apart.end(), child) != cut.apart.end();
        const bool is_among = std::find(cut.among.begin(), cut.among.end(), child) != cut.among.end();
        if (!is_apart && !is_among) continue;
        Term term{is_apart            ? Kind::meeting
                  : cut.with == child ? Kind::loss
                                      : Kind::apart,
                  static_cast<double>(units) / scale,
                  {},
                  {},
                  true};
        if (cut.is_edge) {
            term.kind = Kind::meeting;
            term.needs_any = false;
            for (const int variable : cut.among)
                if (variable != child) term.all.push_back(variable);
        } else {
            for (const int variable : cut.apart)
                if (variable != child) term.all.push_back(variable);
            for (const int variable : cut.among)
                if (variable != child && !(is_apart && variable == cut.with)) term.any.push_back(variable);
        }
        if (is_apart) term.barring = cut.with;
        term.missing = static_cast<int>(term.all.size());
        const std::size_t place = terms_.size();
        const auto occurs = [&](int variable, Role role) {
            occurrences_[static_cast<std::size_t>(variable)].push_back({place, role});
        };
        for (const int variable : term.all) occurs(variable, Role::all);
        for (const int variable : term.any) occurs(variable, Role::any);
        if (is_apart && cut.with >= 0) occurs(cut.with, Role::barring);
        value_ += worth_of(term);
        terms_.push_back(std::move(term));
    }
}

double Gains::worth_of(const Term& term) const {
    if (term.missing > 0 || term.is_barred) return 0;
    const bool meets = term.met > 0 || !term.needs_any;
    switch (term.kind) {
        case Kind::meeting: return meets ? term.gain : 0;
        case Kind::apart: return meets ? 0 : term.gain;
        case Kind::loss: return meets ? -term.gain : 0;
    }
    return 0;
}

void Gains::push(int variable) {
    inside_[static_cast<std::size_t>(variable)] = 1;
    move(variable, 1);
}

void Gains::pop(int variable) {
    inside_[static_cast<std::size_t>(variable)] = 0;
    move(variable, -1);
}

void Gains::move(int variable, int step) {
    for (const auto& [place, role] : occurrences_[static_cast<std::size_t>(variable)]) {
        Term& term = terms_[place];
        const double before = worth_of(term);
        switch (role) {
            case Role::all: term.missing -= step; break;
            case Role::any: term.met += step; break;
            case Role::barring: term.is_barred = step > 0; break;
        }
        value_ += worth_of(term) - before;
    }
}

// The places of some variables from `first` on; none if one that is not there may not come.
void Gains::find_open(const std::vector<int>& variables, const std::vector<int>& places, int first) {
    open_.clear();
    for (const int variable : variables)
        if (const int place = places[static_cast<std::size_t>(variable)]; place >= first && !holds(variable))
            open_.push_back(place);
}

// If one of the open places comes, so much is lost: shared out to where most is gained otherwise.
void Gains::lose(double amount) {
    while (amount > 0) {
        const auto best = std::max_element(open_.begin(), open_.end(), [&](int a, int b) {
            return added_[static_cast<std::size_t>(a)] < added_[static_cast<std::size_t>(b)];
        });
        double& added = added_[static_cast<std::size_t>(*best)];
        const double share = added > 0 ? std::min(added, amount) : amount;
        added -= share;
        amount -= share;
    }
}

// Each term is at most a constant and something for each variable that comes; what the constants and the variables
// come to together is at most the sum.
void Gains::at_most(const std::vector<int>& places, int first, int last, Most& most) {
    added_.assign(static_cast<std::size_t>(last), 0);
    reachable_.assign(static_cast<std::size_t>(last), 0);
    choices_.clear();
    const auto added = [&](int place) -> double& { return added_[static_cast<std::size_t>(place)]; };
    for (const Term& term : terms_) {
        if (term.is_barred) continue;
        const bool meets = term.met > 0 || !term.needs_any;
        if (term.kind == Kind::apart && meets) continue;
        if (term.missing > 0) {
            if (term.kind == Kind::loss && !(meets && term.missing == 1)) continue;
            find_open(term.all, places, first);
            if (static_cast<int>(open_.size()) < term.missing) continue;
            if (term.kind == Kind::loss)
                added(open_.front()) -= term.gain;
            else
                added(*std::min_element(open_.begin(), open_.end(),
                                        [&](int a, int b) { return added(a) < added(b); })) += term.gain;
        } else if (meets != (term.kind == Kind::apart)) {
            // It is there; for a meeting one until j comes.
            if (term.kind == Kind::meeting && term.barring >= 0)
                if (const int place = places[static_cast<std::size_t>(term.barring)]; place >= first)
                    added(place) -= term.gain;
        } else {
            choices_.push_back(&term);
        }
    }
    for (const Term* term : choices_) {
        find_open(term->any, places, first);
        if (open_.empty() || term->kind == Kind::meeting) continue;
        lose(term->gain);
    }
    for (const Term* term : choices_) {
        if (term->kind != Kind::meeting) continue;
        find_open(term->any, places, first);
        if (open_.empty()) continue;
        double apart = 0;
        for (const int place : open_) apart += std::max(0.0, added(place) + term->gain) - std::max(0.0, added(place));
        if (apart <= term->gain)
            for (const int place : open_) added(place) += term->gain;
        else
            reachable_[static_cast<std::size_t>(*std::max_element(open_.begin(), open_.end()))] += term->gain;
    }
    most.from.assign(static_cast<std::size_t>(last), 0);
    most.with.assign(static_cast<std::size_t>(last), 0);
    double rest = 0, best = -std::numeric_limits<double>::infinity(), reachable = 0;
    for (int place = last - 1; place >= first; --place) {
        const auto k = static_cast<std::size_t>(place);
        reachable += reachable_[k];
        most.with[k] = value_ + reachable + added_[k] + rest;
        rest += std::max(0.0, added_[k]);
        best = std::max(best, added_[k]);
        most.from[k] = value_ + reachable + (best > 0 ? rest : best);
    }
}

}  // namespace chordlearn
