#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "common/control.hpp"
#include "scoring/coded_table.hpp"
#include "scoring/score_function.hpp"
#include "scoring/term_store.hpp"

namespace chordlearn {

// Sets are bit masks of 32 bits in every later stage.
constexpr int kMostDenseVariables = 32;

// Writes the score of every set of at most max_size variables to values[mask], and -inf for the larger sets.
// values has 2^n entries. The result does not depend on the number of threads. Returns false if control asked to stop.
bool score_all_sets(const CodedTable& table, const ScoreOptions& options, int max_size, int threads, Control& control,
                    double* values);

// The same in this thread, with terms from a store.
bool score_all_sets(const CodedTable& table, const TermStore& store, int max_size, Control& control, double* values);

// Sets of at most max_size out of n variables.
double count_sets(int n, int max_size);

// Bytes that score_all_sets needs, its result included: an upper estimate.
double all_sets_bytes(const CodedTable& table, int max_size, int threads);

// The same work in parts that may be done apart; what a set scores does not depend on who computes it.
class SetParts {
public:
    SetParts(const CodedTable& table, const ScoreOptions& options, int max_size);
    ~SetParts();

    static int count(int n);

    // The sets of the parts from `first` to before `last`, in rising order, and their scores; the empty set is in none.
    // Returns false if control asked to stop. May be called from several threads.
    bool score(int first, int last, Control& control, std::vector<std::uint32_t>& sets,
               std::vector<double>& scores) const;

private:
    struct Shared;
    std::unique_ptr<Shared> shared_;
};

}  // namespace chordlearn
