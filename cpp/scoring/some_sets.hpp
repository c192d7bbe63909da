#pragma once

#include <cstdint>
#include <unordered_map>
#include <vector>

#include "scoring/coded_table.hpp"
#include "scoring/score_function.hpp"

namespace chordlearn {

// Scores sets one by one, for tables with too many variables to score all sets of them.
class SetScorer {
public:
    SetScorer(const CodedTable& table, const ScoreOptions& options);

    // The score of a set of variables, given in increasing order. Consecutive calls share their common beginning.
    double score(const std::vector<int>& variables);

    // How often each state of the set that occurs does, in the order of first occurrence.
    std::vector<std::uint64_t> counts(const std::vector<int>& variables);

private:
    // The rows' groups: rows with the same label agree on the variables so far.
    struct Labels {
        std::vector<std::uint32_t> of_row;
        std::uint32_t groups = 1;
    };

    void refine(const std::vector<int>& variables);
    void split(const Labels& labels, int variable, Labels& out);

    const CodedTable& table_;
    ScoreFunction function_;
    std::vector<int> prefix_;
    std::vector<Labels> levels_;
    std::vector<std::uint32_t> relabel_;
    std::vector<std::uint64_t> counts_;
    std::unordered_map<double, std::vector<double>> terms_;  // of small counts, by the number of cells
};

}  // namespace chordlearn
