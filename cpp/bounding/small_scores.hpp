#pragma once

#include <vector>

#include "bounding/set_index.hpp"
#include "common/control.hpp"
#include "scoring/coded_table.hpp"
#include "scoring/score_function.hpp"

namespace chordlearn {

// The score of every set of the index, by its number.
std::vector<double> score_small_sets(const CodedTable& table, const ScoreOptions& options, const SetIndex& index,
                                     int threads, Control& control);

}  // namespace chordlearn
