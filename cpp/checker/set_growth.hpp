#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <unordered_map>
#include <utility>
#include <vector>

#include "checker/family_check.hpp"

namespace chordlearn::checker {

using Units = std::int64_t;

// What the sets that are looked for have to do with.
struct Growth {
    // The score of a set: a term for each joint state that occurs, by its count and the number of all joint states,
    // what depends on that number alone, and what each edge adds.
    std::function<double(std::int64_t, double)> term;
    std::function<double(double)> rest;
    double edge_prior;
    double factor;  // units in 1

    int largest;  // no set has more variables
    std::vector<std::pair<int, int>> forbidden;
    std::vector<Cut> cuts;    // with multipliers in units
    std::vector<Units> most;  // of each variable; if there are none, all sets are found
    Units slack;
};

// Sets, the members of one after those of the other, and what each scores in units.
struct Grown {
    std::vector<std::int64_t> members, ends, scores;
};

// Finds the sets K, depth first, that lose less than the slack: the sum of the most that its variables are worth, less
// V(K). Also all parts of K that come first in its order lose less.
class SetGrowth {
public:
    SetGrowth(const Table& table, const Growth& growth, std::size_t limit, std::function<void()> pause);

    // Whether there are no more sets than the limit.
    bool run();
    Grown& found() { return found_; }

private:
    // Of the rows, which agree on a set.
    struct Groups {
        std::vector<std::uint32_t> of_row;
        std::uint32_t count;
    };
    struct Extension {
        int variable;
        Units score;
    };

    bool grow(const Groups& groups, double joint_states, Units spent, const std::vector<int>& candidates);
    bool is_allowed(int variable) const;
    Units score_with(const Groups& groups, double joint_states, int variable);
    Groups split(const Groups& groups, int variable);
    double term(std::vector<double>& known, std::int64_t count, double joint_states);
    Units price_with(int variable);

    const Table& table_;
    const Growth& growth_;
    std::size_t limit_;
    std::function<void()> pause_;
    std::size_t tests_ = 0;
    std::vector<int> set_;
    std::vector<char> is_inside_;
    std::unordered_map<double, std::vector<double>> known_terms_;
    std::vector<std::int64_t> counts_;
    Grown found_;
};

}  // namespace chordlearn::checker
