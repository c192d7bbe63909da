#pragma once

#include <cstddef>
#include <cstdint>
#include <mutex>
#include <unordered_map>
#include <vector>

#include "scoring/cell_terms.hpp"
#include "scoring/score_function.hpp"

namespace chordlearn {

// The terms of one table's score function by count, kept for all who score sets of its columns again and again. They
// are tabulated once as many were asked for as a table has. Many threads may ask at once.
class TermStore {
public:
    TermStore(const ScoreOptions& options, std::uint64_t rows);

    // For sets with so many cells, of whose terms about `work` will be asked for. Valid as long as the store.
    CellTerms terms(double cells, double work) const;
    const ScoreFunction& function() const { return function_; }
    const ScoreOptions& options() const { return options_; }

private:
    struct Entry {
        double work = 0;
        std::vector<double> table;
    };

    ScoreOptions options_;
    ScoreFunction function_;
    std::uint64_t length_;
    mutable std::mutex guard_;
    mutable std::unordered_map<double, Entry> entries_;
    mutable std::size_t tabulated_ = 0;
};

}  // namespace chordlearn
