#pragma once

#include <vector>

#include "bounding/set_index.hpp"
#include "common/control.hpp"
#include "scoring/coded_table.hpp"
#include "scoring/score_function.hpp"

namespace chordlearn {

// The score of every set of the index, by its number. Where asked for, also how many cells of each of the largest sets
// have a row or more, not only a fraction of one, in the same order.
std::vector<double> score_small_sets(const CodedTable& table, const ScoreOptions& options, const SetIndex& index,
                                     int threads, Control& control, std::uint32_t* occurring = nullptr);

}  // namespace chordlearn
