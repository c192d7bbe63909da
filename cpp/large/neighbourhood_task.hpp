#pragma once

#include <optional>
#include <utility>
#include <vector>

#include "common/control.hpp"
#include "scoring/coded_table.hpp"
#include "scoring/term_store.hpp"

namespace chordlearn {

using EdgeList = std::vector<std::pair<int, int>>;

// Some variables of a table and the chordal graph on them, to be replaced by a better one. Edges are pairs of the table's
// variables, all of them among `variables`. Together with the table it says all that there is to solve.
struct NeighbourhoodTask {
    std::vector<int> variables;  // increasing
    EdgeList present;            // the edges there are
    EdgeList required;           // those that must be there
    EdgeList forbidden;          // those that must not
    int max_clique = 0;          // 0: any
};

struct NeighbourhoodChange {
    std::vector<int> variables;
    EdgeList edges;  // all edges among the variables
    double gain = 0;
};

// The best graph on the variables of the task, if it is better than the present one.
std::optional<NeighbourhoodChange> solve_neighbourhood(const CodedTable& table, const TermStore& store,
                                                       const NeighbourhoodTask& task, Control& control);

// Whether so many states can be told apart.
bool fits_neighbourhood(const CodedTable& table, const std::vector<int>& variables);

}  // namespace chordlearn
