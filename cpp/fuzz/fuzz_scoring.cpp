#include <cmath>
#include <limits>

#include "fuzz/inputs.hpp"
#include "fuzz/interruption.hpp"
#include "fuzz/target.hpp"
#include "scoring/all_sets.hpp"
#include "scoring/some_sets.hpp"

using namespace chordlearn;

namespace {

std::vector<int> members(std::size_t mask) {
    std::vector<int> set;
    for (int i = 0; mask >> i; ++i)
        if (mask >> i & 1) set.push_back(i);
    return set;
}

// All sets at once, in parts, one by one, and on several threads: the same scores.
void run(fuzz::Bytes& bytes) {
    const CodedTable table = fuzz::table_from(bytes, 1, 8);
    const ScoreOptions options = fuzz::options_from(bytes);
    const int n = table.variables(), max_size = bytes.between(1, n), threads = bytes.between(1, 4);
    fuzz::Interruption interruption(bytes);
    Control& control = interruption.control;
    std::vector<double> all(std::size_t{1} << n);
    if (!score_all_sets(table, options, max_size, threads, control, all.data())) return;
    EXPECT(control.done.load() == count_sets(n, max_size));

    SetScorer single(table, options);
    const auto close = [&](double a, double b) {
        return a == b || (std::isnan(a) && std::isnan(b)) ||
               std::fabs(a - b) <= 1e-9 * (1 + std::fabs(a) + std::fabs(b));
    };
    for (std::size_t set = 0; set < all.size(); ++set) {
        const auto variables = members(set);
        if (static_cast<int>(variables.size()) > max_size)
            EXPECT(all[set] == -std::numeric_limits<double>::infinity());
        else
            EXPECT(close(all[set], single.score(variables)));
    }

    const TermStore store(options, table.rows);
    std::vector<double> stored(all.size());
    if (score_all_sets(table, store, max_size, control, stored.data()))
        for (std::size_t set = 0; set < all.size(); ++set) EXPECT(close(all[set], stored[set]));

    const SetParts parts(table, options, max_size);
    std::vector<std::uint32_t> sets;
    std::vector<double> scores;
    const int count = SetParts::count(n), cut = bytes.between(0, count);
    for (const auto& [first, last] : {std::pair(0, cut), std::pair(cut, count)}) {
        if (!parts.score(first, last, control, sets, scores)) return;
        EXPECT(sets.size() == scores.size());
        for (std::size_t k = 0; k < sets.size(); ++k) EXPECT(close(scores[k], all.at(sets[k])));
    }
}

}  // namespace

FUZZ_TARGET(run)
