#pragma once

#include <nanobind/ndarray.h>

#include <cstdint>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "bindings/arrays.hpp"
#include "common/control.hpp"
#include "scoring/all_sets.hpp"
#include "scoring/coded_table.hpp"
#include "scoring/score_function.hpp"
#include "scoring/some_sets.hpp"
#include "scoring/term_store.hpp"

// A coded table with a score function, as Python holds it.
class Scorer {
public:
    using Codes = nanobind::ndarray<const std::int32_t, nanobind::ndim<2>, nanobind::c_contig, nanobind::device::cpu>;
    using Weights = GivenArray<std::int64_t>;

    Scorer(const Codes& codes, const Weights& weights, const std::vector<std::int64_t>& arities,
           const std::string& name, double parameter, double edge_prior, double unit);

    std::optional<Array<double>> all(int max_size, int threads, chordlearn::Control& control) const;
    std::optional<std::pair<Array<std::uint32_t>, Array<double>>> parts(int max_size, int first, int last,
                                                                        chordlearn::Control& control);
    Array<double> sets(const std::vector<std::vector<int>>& sets);
    Array<std::int64_t> counts(const std::vector<int>& variables);
    double bytes(int max_size, int threads) const;

    const chordlearn::CodedTable& table() const { return table_; }
    const chordlearn::ScoreOptions& options() const { return options_; }
    const chordlearn::TermStore& terms() const;

private:
    void check_dense() const;
    // Made when first asked for: a scorer of all sets has no use for it.
    chordlearn::SetScorer& set_scorer();

    chordlearn::ScoreOptions options_;
    chordlearn::CodedTable table_;
    std::unique_ptr<chordlearn::SetScorer> set_scorer_;
    std::shared_ptr<const chordlearn::SetParts> parts_;  // of the largest size asked for last
    int parts_size_ = 0;
    std::mutex scoring_sets_;
    mutable std::unique_ptr<chordlearn::TermStore> terms_;
    mutable std::once_flag terms_made_;
};
