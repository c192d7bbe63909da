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

    // places: of each variable in an order of variables that may still become parents; -1 for the others. On return
    // most[k] is at least the value for the present parents and any of those from place k on, for first <= k < last.
    void at_most(const std::vector<int>& places, int first, int last, std::vector<double>& most) const;

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

    std::vector<Term> terms_;
    std::vector<std::vector<Occurrence>> occurrences_;
    std::vector<char> inside_;
    double value_ = 0;
    double losses_ = 0;
};

}  // namespace chordlearn
