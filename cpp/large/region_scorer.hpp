#pragma once

#include <cstdint>
#include <optional>
#include <unordered_map>
#include <vector>

#include "large/mask.hpp"
#include "scoring/coded_table.hpp"
#include "scoring/some_sets.hpp"
#include "scoring/term_store.hpp"

namespace chordlearn {

// Scores of sets of a region's variables, each counted once and remembered. Sets go by place in the region.
class RegionScorer {
public:
    RegionScorer(const CodedTable& table, const TermStore& store, std::vector<int> variables);

    // Whether a set has few enough joint states to be counted quickly.
    bool is_quick(Mask set) const;

    // What an edge between a and b gains if these are the common neighbours.
    double edge_gain(Mask common, int a, int b);
    // What it gains to have x as a neighbour of all of a complete set, which has no others.
    double neighbour_gain(Mask set, int x);

private:
    struct Slot {
        Mask set;
        double score;
    };
    // Counts by joint state of a set, its highest variable changing fastest.
    struct Cells {
        Mask set;
        std::vector<std::uint32_t> counts;
    };

    std::uint32_t arity(int place) const { return table_.arities[variables_[place]]; }
    const double* find(Mask set) const;
    double keep(Mask set, double score);
    // A set's score; if it must be counted and lies in the cells, from these.
    double score(Mask set, const Cells* within = nullptr);
    double score_slowly(Mask set);
    double score_of(const Cells& cells);
    void count(Mask set, Cells& cells);
    void sum_out(const Cells& from, int place, Cells& to) const;
    const CellTerms& terms_of(double cells);

    const CodedTable& table_;
    const TermStore& store_;
    std::vector<int> variables_;
    bool countable_;
    std::vector<std::uint32_t> weights_;
    std::vector<Slot> slots_;
    std::size_t used_ = 0;
    std::vector<std::uint32_t> keys_, lanes_;
    Cells counted_, summed_, summed_twice_;
    std::unordered_map<double, CellTerms> terms_;
    std::optional<SetScorer> slow_;
};

}  // namespace chordlearn
