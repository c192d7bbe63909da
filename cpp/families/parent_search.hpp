#pragma once

#include <atomic>
#include <cstdint>
#include <memory>
#include <vector>

#include "common/control.hpp"
#include "families/family_terms.hpp"
#include "families/gains.hpp"
#include "scoring/coded_table.hpp"

namespace chordlearn {

// What all searches for parents share; must outlive them.
struct ParentSpace {
    const CodedTable& table;
    ScoreOptions options;
    int most_parents;
    std::vector<std::vector<char>> forbidden;  // by pairs of variables; empty if none is
    const Prices& prices;
    double scale;  // units in 1

    bool is_forbidden(int a, int b) const {
        return !forbidden.empty() && forbidden[static_cast<std::size_t>(a)][static_cast<std::size_t>(b)];
    }
};

// What a search tells of the branch that it looks through.
class BranchSharing {
public:
    virtual ~BranchSharing() = default;
    virtual bool is_wanted() const = 0;  // whether somebody else would take a part of it
    // Somebody else will look through the families with these parents, and more or none of those that are left then.
    virtual void give(const std::vector<int>& parents, double most) = 0;
    virtual void lower(double most) = 0;  // what is left of the branch is worth no more
};

// The largest worth of a child's parents under prices, over sets of parents of any size, by branch and bound.
//
// A node is a set P of parents with an ordered pool of variables that may still be added. It holds the rows in their
// cells, which agree on P; inside a cell rows that agree on the pool from some place on stand together, so that any end
// of the pool splits a cell into runs of rows. Adding the variable at some place of the pool leaves those after it.
class ParentSearch {
public:
    // best: the largest worth found so far, which searches for the same child share; costs: of children with so many
    // states.
    ParentSearch(const ParentSpace& space, int child, std::atomic<double>& best, FamilyCosts& costs,
                 const Control& control);

    struct Root {
        int parent;   // that the sets of parents of a branch begin with
        double most;  // no set of parents in this branch or a later one is worth more
    };
    // All branches; to be called first.
    std::vector<Root> branches();
    // Looks through the sets that begin with these parents, so that afterwards nothing among them, but what was given
    // away, is worth more than the best found. Throws std::length_error if parents have too many joint states.
    void run(const std::vector<int>& parents, BranchSharing* sharing = nullptr);

    // By how much worths may be off for rounding.
    double error() const { return costs_.error(); }
    std::uint64_t nodes() const { return nodes_; }

private:
    struct Row {
        std::uint32_t source;  // row of the table with the same values of the pool
        std::uint32_t count;
        std::uint16_t state;   // of the child
        std::int16_t differs;  // last place in the order where it differs from the row before it in the cell; -1: none
    };
    struct Cell {
        std::uint32_t end;
        bool is_pure;  // all rows have the same state
    };
    struct Order {
        std::vector<int> variables;
        std::vector<int> places;                  // by variable; -1 if it is not there
        std::vector<std::uint32_t> least_states;  // from each place on
    };
    struct Node {
        std::vector<Row> rows;
        std::vector<Cell> cells;        // with two rows or more
        std::uint32_t single_rows = 0;  // cells with one row
        std::uint32_t occurring = 0;    // pairs of a cell and a state that are still counted
        double joint_states = 1;
        double cost = 0;
        double constant = 0;
        double score = 0;  // of the family
        int parents = 0;
        int first = 0;  // place in the order where the pool begins
        const Order* order = nullptr;
        Gains::Most gains;
    };

    void make_root();
    void climb();
    // Of the family with one parent more.
    struct Counted {
        double score;
        std::uint32_t occurring;
    };

    double joint_states_with(const Node& node, int place) const;
    void split(const Node& from, int place, Node& to, bool unordered);
    Counted counted_with(const Node& node, int place, double enough);
    std::size_t close_cell(Node& node, std::size_t begin, std::size_t end, const FamilyTerms& terms);
    void sort_pool(Node& node, Order& order);
    void sort_rows(Node& node);
    void sort_run(Node& node, std::size_t begin, std::size_t end, int place);
    void number(Order& order) const;
    void price(Node& node);
    void enter(Node& node, int place, Node& next);
    void leave(int variable);
    void expand(Node& node, int depth);
    void visit(Node& node, int place, int depth);
    int first_hopeless(const Node& node);
    double at_most(const Node& node, int place, double enough);
    double cells_at_least(const Node& node, int place, const FamilyTerms& terms, double enough);
    bool rises_with_cells(const FamilyTerms& terms, std::uint32_t rows, std::uint32_t states) const;
    double edges_at_most(const Node& node, int place, int fewest) const;
    double with_more_at_most(const Node& node, int place, std::uint32_t occurring) const;
    bool fits(const Node& node, int variable) const;
    double best() const { return best_.load(std::memory_order_relaxed); }
    void take(double worth);
    Node& node_at(int depth);

    const ParentSpace& space_;
    int child_;
    std::atomic<double>& best_;
    const Control& control_;
    FamilyCosts& costs_;
    Gains gains_;
    std::vector<int> held_;
    std::vector<std::unique_ptr<Node>> nodes_by_depth_;
    std::vector<Order> orders_;
    BranchSharing* sharing_ = nullptr;
    int shared_depth_ = 0;  // of the branch at hand
    std::uint64_t nodes_ = 0;

    // Of the cell and the run at hand.
    std::vector<std::uint16_t> codes_, seen_, states_, run_states_;
    std::vector<char> is_seen_;
    std::vector<std::uint32_t> whole_counts_, run_counts_;
    std::vector<std::uint32_t> totals_, counts_;  // by state of a parent, and by that and the child's
    std::vector<Row> sorted_;
};

}  // namespace chordlearn
