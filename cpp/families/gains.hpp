#pragma once

#include <cstddef>
#include <limits>
#include <vector>

#include "families/prices.hpp"

namespace chordlearn {

// What prices add to the worth of a child's parents, while parents come and go.
class Gains {
public:
    Gains(int n, int child, const Prices& prices, double scale);

    void push(int variable);
    void pop(int variable);
    bool holds(int variable) const { return inside_[static_cast<std::size_t>(variable)]; }

    // For the present parents.
    double value() const { return value_; }

    // The most that it may become, whatever comes from an order of variables.
    struct Most {
        std::vector<double> from;  // if something comes, all of it from this place on
        std::vector<double> with;  // if what comes begins with this place
    };
    // places: of each variable in the order; -1 for those that may not come. From place `first` on, of `last`.
    void at_most(const std::vector<int>& places, int first, int last, Most& most);

private:
    // With i the child, the worth gains the multiplier for parents P if
    //     i in T:          T - i in P, C meets P, j not in P
    //     i in C, not j:   T in P, C does not meet P
    //     an edge:         the other end is in P
    // and loses it if i = j, T in P, C meets P.
    enum class Kind { meeting, apart, loss };
    struct Term {
        Kind kind;
        double gain;
        std::vector<int> all;  // that P must hold
        std::vector<int> any;  // that P must meet, or not
        bool needs_any;
        int barring = -1;        // j, if P must not hold it
        int missing = 0;         // of `all`
        int met = 0;             // of `any`
        bool is_barred = false;  // j is in P
    };
    enum class Role { all, any, barring };
    struct Occurrence {
        std::size_t term;
        Role role;
    };

    double worth_of(const Term& term) const;
    void move(int variable, int step);
    void find_open(const std::vector<int>& variables, const std::vector<int>& places, int first);
    void lose(double amount);

    std::vector<Term> terms_;
    std::vector<std::vector<Occurrence>> occurrences_;
    std::vector<char> inside_;
    double value_ = 0;
    // By place: what a variable adds at most; and what there is at most if something comes from there on.
    std::vector<double> added_, reachable_;
    std::vector<int> open_;
    std::vector<const Term*> choices_;
};

}  // namespace chordlearn
