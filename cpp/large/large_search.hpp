#pragma once

#include <limits>
#include <utility>
#include <vector>

#include "common/control.hpp"
#include "large/wide_graph.hpp"
#include "scoring/coded_table.hpp"
#include "scoring/score_function.hpp"

namespace chordlearn {

struct LargeOptions {
    int max_clique = 0;  // 0: as large as a neighbourhood
    std::vector<std::pair<int, int>> required, forbidden;
    std::uint64_t seed = 0;
    int threads = 1;
    bool endless = false;  // go on until stopped
};

struct LargeNetwork {
    WideGraph graph{0};  // without variables if no network was found
    double score = -std::numeric_limits<double>::infinity();
};

// For tables with too many variables to score all sets of them. Starts from the best forest and puts the best graph on
// one neighbourhood after the other: some ten variables of a connected part of the junction tree, whose sets are scored
// and solved exactly while the separators towards the rest stay complete. The outcome depends on the seed and not on the
// number of threads, unless it is stopped. The control is told the score of each better network.
LargeNetwork search_large(const CodedTable& table, const ScoreOptions& score, const LargeOptions& options,
                          Control& control);

}  // namespace chordlearn
