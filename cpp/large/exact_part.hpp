#pragma once

#include <optional>
#include <vector>

#include "common/control.hpp"
#include "engine/chordal.hpp"
#include "scoring/coded_table.hpp"
#include "scoring/term_store.hpp"

namespace chordlearn {

// A few variables of a table with the graph on them; graphs go by place in `variables`.
struct ExactPart {
    std::vector<int> variables;  // increasing
    Graph present, required, forbidden;
    int max_clique = 0;  // 0: any
};

struct PartImprovement {
    Graph graph;
    double gain;
};

// The best graph on these variables, if it is better than the present one.
std::optional<PartImprovement> improve_exactly(const CodedTable& table, const TermStore& store, const ExactPart& part,
                                               Control& control);

// Whether the joint states of so many variables can be distinguished.
bool fits_part(const CodedTable& table, const std::vector<int>& variables);

}  // namespace chordlearn
