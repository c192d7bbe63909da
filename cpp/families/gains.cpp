#include "families/gains.hpp"

#include <algorithm>

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
        const double change = worth_of(term) - before;
        value_ += change;
        if (term.kind == Kind::loss) losses_ += change;
    }
}

void Gains::at_most(const std::vector<int>& places, int first, int last, std::vector<double>& most) const {
    most.assign(static_cast<std::size_t>(last), 0);
    for (const Term& term : terms_) {
        if (term.kind == Kind::loss || term.is_barred) continue;
        if (term.kind == Kind::apart && term.met > 0) continue;
        // The last place from which on there is all that it takes.
        int until = last - 1;
        if (term.missing > 0)
            for (const int variable : term.all)
                if (!holds(variable)) until = std::min(until, places[static_cast<std::size_t>(variable)]);
        if (term.kind == Kind::meeting && term.needs_any && term.met == 0) {
            int latest = -1;
            for (const int variable : term.any) latest = std::max(latest, places[static_cast<std::size_t>(variable)]);
            until = std::min(until, latest);
        }
        if (until >= first) most[static_cast<std::size_t>(until)] += term.gain;
    }
    double sum = losses_;
    for (int k = last - 1; k >= first; --k)
        most[static_cast<std::size_t>(k)] = sum += most[static_cast<std::size_t>(k)];
}

}  // namespace chordlearn
