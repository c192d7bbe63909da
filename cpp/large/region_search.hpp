#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "common/control.hpp"
#include "large/region_walk.hpp"
#include "large/wide_graph.hpp"
#include "scoring/coded_table.hpp"
#include "scoring/term_store.hpp"

namespace chordlearn {

// Some variables of a table and the chordal graph on them, to be replaced by a better one. Edges are pairs of the
// table's variables, all of them among `variables`. Together with the table it says all that there is to solve.
struct RegionTask {
    std::vector<int> variables;  // increasing
    EdgeList present;            // the edges there are
    EdgeList required;           // those that must be there
    EdgeList forbidden;          // those that must not
    int max_clique = 0;          // 0: any
    Annealing annealing;         // no moves: the best graph is found, which takes a region of few variables
    std::uint64_t seed = 0;
};

struct RegionChange {
    std::vector<int> variables;
    EdgeList edges;  // all edges among the variables
    double gain = 0;
};

// A better graph on the variables of the task, or nothing. A pure function of table and task. Few variables are solved
// exactly; many by annealing, after which parts of the region are solved exactly until there is little to gain.
std::optional<RegionChange> improve_region(const CodedTable& table, const TermStore& store, const RegionTask& task,
                                           Control& control);

}  // namespace chordlearn
