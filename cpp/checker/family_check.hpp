#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <unordered_map>
#include <utility>
#include <vector>

// Checks what proofs say of families of any size. This shares no code with the search that found it, on purpose.
namespace chordlearn::checker {

enum class Score { bdeu, bic, aic };

// Rows that all differ, with how often each occurs, and how many states each column has.
struct Table {
    std::size_t columns = 0;
    std::vector<std::uint16_t> codes;  // row by row
    std::vector<std::int64_t> weights;
    std::vector<int> states;

    std::size_t rows() const { return weights.size(); }
    int code(std::size_t row, int column) const { return codes[row * columns + static_cast<std::size_t>(column)]; }
};

// Adds its multiplier to every set that holds all of `apart`, meets `among` and lacks `at` (-1: nothing is to be
// lacked).
struct Cut {
    double multiplier;
    std::vector<int> apart, among;
    int at;
};

struct Question {
    Score score;
    double ess;         // of BDeu
    double edge_prior;  // what each edge adds
    int most_parents;
    std::vector<std::pair<int, int>> forbidden;
    std::vector<Cut> cuts;
};

// The logarithm of x (x + 1) ... (x + n - 1) by n.
class LogProducts {
public:
    explicit LogProducts(double x) : x_(x) {}
    double of(std::int64_t count);

private:
    double x_;
    long double sum_ = 0;
    std::vector<double> known_{0};
};

// n log n.
class EntropyTerms {
public:
    double of(std::int64_t count);

private:
    std::vector<double> known_{0};
};

// Whether V(P + i) - V(P) is at most some number for all sets P of parents of one child i, where V is the score of a
// set and what the cuts add to it.
//
// With parents P and more from a pool of others, the families are worth at most what `at_most` says; docs/background
// has the proof. The sets of parents are gone through depth first, and those below such a bound are left out.
class FamilyCheck {
public:
    // The table must outlive this.
    FamilyCheck(const Table& table, const Question& question, int child, double most);

    // Goes on through so many nodes; whether it is done.
    bool advance(std::int64_t nodes);
    // Parents with which the family is worth more, once it is done.
    const std::optional<std::vector<int>>& counterexample() const { return counterexample_; }
    std::int64_t nodes() const { return nodes_; }
    // By how much rounding may change any worth that is compared.
    double error() const { return error_; }

private:
    struct Row {
        std::uint32_t number;
        std::int32_t differs;  // the last place of the pool's order where it differs from the row before it in its cell
        std::uint16_t state;   // of the child
        std::int64_t weight;
    };
    // A joint state of the parents in which more than one row lies.
    struct Cell {
        std::size_t end;  // of its rows
        bool is_pure;     // the child has one state there
    };
    struct Frame {
        std::vector<Row> rows;
        std::vector<Cell> cells;
        std::vector<int> order;     // the pool and what came before it
        double joint_states = 1;    // of the parents
        double single_rows = 0;     // joint states with one row
        double occupied = 0;        // pairs of a joint state and a state of the child that occur
        std::vector<double> gains;  // by place: the most that cuts add, if the rest of the pool is from there on
        int place = 0;              // of the next to be added
        int end = 0;                // nothing from here on is worth it
    };
    struct Term {
        bool needs_meeting;  // of `among`; else it must not be met
        double gain;
        std::vector<int> all, among;
        int at;  // must not be there; -1: nothing
    };
    struct Loss {
        double loss;
        std::vector<int> all, among;
    };
    // With x the parameter of a joint state of the parents, and of one of these with a state of the child.
    struct Products {
        double parameter;
        LogProducts whole, part;
    };

    void begin();
    void sort_pool(Frame& frame);
    void sort_rows(Frame& frame);
    void open(Frame& frame);
    void split(const Frame& from, int place, Frame& to);
    void close(Frame& frame, std::size_t begin);
    double worth_at_most(const Frame& frame);
    double exact_worth();
    double cuts_add() const;
    void find_gains(Frame& frame) const;
    double at_most(const Frame& frame, int place);
    double costs_at_least(const Frame& frame, int place, Products& products, double enough);
    double cell_costs(const std::vector<std::int64_t>& counts, std::int64_t total, Products& products);
    double entropy_of(const std::vector<std::int64_t>& counts, std::int64_t total);
    bool is_allowed(int variable) const;
    double prior_at_most(const Frame& frame, int fewest, int place) const;
    Products& products_of(double joint_states);
    double penalty(double joint_states) const;

    const Table& table_;
    const Question& question_;
    int child_;
    double most_;
    double states_, log_states_, total_ = 0, error_ = 0;
    std::vector<char> is_parent_;
    std::vector<int> parents_;
    std::vector<std::vector<char>> is_forbidden_;
    std::vector<Term> terms_;
    std::vector<Loss> losses_;
    std::vector<Frame> frames_;  // by depth
    std::size_t depth_ = 0;
    bool is_done_ = false;
    std::int64_t nodes_ = 0;
    std::optional<std::vector<int>> counterexample_;
    std::unordered_map<double, Products> known_products_;
    EntropyTerms entropy_terms_;
    // Scratch.
    std::vector<std::vector<Row>> groups_;
    std::vector<std::size_t> run_begins_;
    std::vector<std::int32_t> passed_;
    std::vector<std::int64_t> whole_, part_;
    std::vector<char> seen_;
};

}  // namespace chordlearn::checker
