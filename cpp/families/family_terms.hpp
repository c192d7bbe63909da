#pragma once

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <unordered_map>
#include <vector>

#include "scoring/log_rising.hpp"
#include "scoring/score_function.hpp"

namespace chordlearn {

// The terms of the families of one child with r states, where the parents have q joint states. A family scores
//     constant + sum over the cells of the parents of (sum over states of part(n_state) - whole(n)) + edges,
// n being the rows of a cell.
class FamilyTerms {
public:
    FamilyTerms(const ScoreOptions& options, double rows, double states, double cells);

    double constant() const { return constant_; }
    double weight() const { return weight_; }  // BDeu: of a cell, all its Dirichlet parameters together
    double whole(std::uint32_t count) const { return count < wholes_.size() ? wholes_[count] : of(weight_, count); }
    double part(std::uint32_t count) const { return count < parts_.size() ? parts_[count] : of(parameter_, count); }

    static double count_log_count(double count) { return count > 1 ? count * std::log(count) : 0; }

private:
    double of(double parameter, double count) const {
        return is_dirichlet_ ? log_rising(parameter, count) : count_log_count(count);
    }

    bool is_dirichlet_;
    double weight_ = 0, parameter_ = 0, constant_ = 0;
    std::vector<double> wholes_, parts_;
};

// All that is the same for the families of one child.
class FamilyCosts {
public:
    // Parents with more joint states are not looked into.
    static constexpr double kMostCells = 1e280;

    FamilyCosts(const ScoreOptions& options, std::uint64_t rows, std::uint32_t states);

    static bool has_bound(ScoreKind kind) { return kind != ScoreKind::qnml; }

    ScoreKind kind() const { return options_.kind; }
    // Whether joint states are charged for, and rows cost nothing where all have the same state.
    bool is_penalised() const { return kind() == ScoreKind::bic || kind() == ScoreKind::aic; }
    const FamilyTerms& at(double cells);  // or at kMostCells, if there are more
    double constant(double cells) { return at(cells).constant(); }

    double log_states() const { return log_states_; }
    // What a cell with a single row costs, whatever the other parents.
    double single() const { return options_.kind == ScoreKind::bdeu ? log_states_ : 0; }
    double edges(int parents) const { return options_.edge_prior * parents; }

    double count_log_count(std::uint32_t count) const {
        return count < logs_.size() ? logs_[count] : FamilyTerms::count_log_count(count);
    }
    // 1 + 1/2 + ... + 1/count, or a little more
    double harmonic(std::uint32_t count) const {
        return count < harmonics_.size() ? harmonics_[count] : 1 + std::log(static_cast<double>(count));
    }

    // By how much any score of a family, or bound on it, may be off for rounding.
    double error() const { return error_; }

private:
    ScoreOptions options_;
    double rows_, states_, log_states_, error_;
    std::vector<double> logs_, harmonics_;
    std::unordered_map<double, std::unique_ptr<const FamilyTerms>> by_cells_;
};

}  // namespace chordlearn
