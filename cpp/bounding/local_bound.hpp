#pragma once

#include "common/control.hpp"
#include "scoring/coded_table.hpp"
#include "scoring/score_function.hpp"

namespace chordlearn {

// No network of any kind scores more than this: the best parents of each variable, whatever the others have. Parents
// are tried in sets of up to `largest` - 1; more of them are bounded by what every such family must pay for its cells.
// Infinite for score functions without such a price.
double local_bound(const CodedTable& table, const ScoreOptions& options, int largest, int threads, Control& control);

}  // namespace chordlearn
