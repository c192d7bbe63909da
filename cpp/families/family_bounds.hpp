#pragma once

#include <atomic>
#include <condition_variable>
#include <cstdint>
#include <memory>
#include <mutex>
#include <utility>
#include <vector>

#include "common/control.hpp"
#include "families/parent_search.hpp"
#include "families/prices.hpp"
#include "scoring/coded_table.hpp"
#include "scoring/score_function.hpp"

namespace chordlearn {

// For each variable, what no family of it is worth more than under prices, and the bound on all networks that follows.
// Bounds hold at any time; those that are asked for while a search is on are up to date.
class FamilyBounds {
public:
    // largest: no clique has more variables; forbidden: pairs that no clique holds. The table must outlive this.
    FamilyBounds(const CodedTable& table, const ScoreOptions& options, const std::vector<Cut>& cuts,
                 const std::vector<double>& multipliers, int largest,
                 const std::vector<std::pair<int, int>>& forbidden);

    // Units in 1: enough for scores, and so few that sums of them are exact.
    static double scale_for(const CodedTable& table);
    // Whether there is a bound for families of any size.
    static bool can_bound(const CodedTable& table, const ScoreOptions& options);

    // Goes on until every bound is the worth of a family, child by child. Throws Stopped when stopped; what is known by
    // then stays.
    void search(int threads, Control& control);

    int n() const { return space_.table.variables(); }
    const ParentSpace& space() const { return space_; }
    const Prices& prices() const { return prices_; }
    double scale() const { return space_.scale; }
    double largest_score() const;  // no set that may matter is further from 0
    Units most(int child) const;   // the most that its families are worth; kUnbounded if nothing is known
    double bound() const;          // no network scores more

    std::size_t branches() const;  // so far
    std::size_t open_branches() const;
    std::uint64_t nodes() const { return nodes_.load(); }

    static constexpr Units kUnbounded = Units{1} << 61;

private:
    // The families with these parents, and more or none of the variables that then are left.
    struct Branch {
        std::vector<int> parents;
        std::atomic<double> most;  // that any of them is worth
        bool is_taken = false;
    };
    struct Child {
        std::atomic<double> best;
        double error = 0;
        std::vector<std::unique_ptr<Branch>> branches;  // that are not done
        bool has_branches = false;
    };
    class Worker;

    void begin(std::size_t child, const Control& control);
    void add(Child& child, std::vector<int> parents, double most);

    Prices prices_;
    ParentSpace space_;
    mutable std::mutex guard_;
    std::condition_variable changed_;
    std::vector<std::unique_ptr<Child>> children_;
    std::size_t branches_ = 0, taken_ = 0;
    std::atomic<int> idle_{0};  // threads that wait for a branch
    std::atomic<std::uint64_t> nodes_{0};
};

// By how much rounding may change the score of a network, none of whose sets scores more, or less than minus that.
double rounding_of_networks(int n, double largest_score, double scale);

}  // namespace chordlearn
