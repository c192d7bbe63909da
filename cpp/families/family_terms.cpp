#include "families/family_terms.hpp"

#include <algorithm>
#include <limits>

namespace chordlearn {

namespace {

constexpr double kTabulated = 1024;  // counts below have their terms in a table

}  // namespace

FamilyTerms::FamilyTerms(const ScoreOptions& options, double rows, double states, double cells)
    : is_dirichlet_(options.kind == ScoreKind::bdeu || options.kind == ScoreKind::dirichlet) {
    switch (options.kind) {
        case ScoreKind::bdeu:
            weight_ = options.parameter / cells;
            parameter_ = weight_ / states;
            break;
        case ScoreKind::dirichlet:
            weight_ = parameter_ = options.parameter;
            constant_ = log_rising(parameter_ * cells, rows) - log_rising(parameter_ * cells * states, rows);
            break;
        case ScoreKind::bic: constant_ = rows > 0 ? -0.5 * std::log(rows) * (states - 1) * cells : 0; break;
        case ScoreKind::aic: constant_ = -(states - 1) * cells; break;
        case ScoreKind::qnml: break;
    }
    const auto length = static_cast<std::size_t>(std::min(rows + 1, kTabulated));
    wholes_.resize(length);
    parts_.resize(length);
    for (std::size_t count = 0; count < length; ++count) {
        wholes_[count] = of(weight_, static_cast<double>(count));
        parts_[count] = of(parameter_, static_cast<double>(count));
    }
}

FamilyCosts::FamilyCosts(const ScoreOptions& options, std::uint64_t rows, std::uint32_t states)
    : options_(options), rows_(static_cast<double>(rows)), states_(states), log_states_(std::log(states_)) {
    const auto length = static_cast<std::size_t>(std::min(rows_ + 1, kTabulated));
    logs_.resize(length);
    harmonics_.resize(length);
    for (std::size_t count = 1; count < length; ++count) {
        logs_[count] = FamilyTerms::count_log_count(static_cast<double>(count));
        harmonics_[count] = harmonics_[count - 1] + 1 / static_cast<double>(count);
    }
    // Up to two terms for each row and a few more are added, none larger than all rows in one cell would give; each is
    // off by some units in its last place, and each addition by one of the sum.
    const double parameter = std::max(options.parameter, 1 / options.parameter);
    const double largest = rows_ * (std::log(kMostCells) + std::log(rows_ + 2) + std::log(parameter + 1)) +
                           std::fabs(options.edge_prior) * 0x1p16 + 1;
    error_ = 8 * (rows_ + 16) * std::numeric_limits<double>::epsilon() * largest;
}

const FamilyTerms& FamilyCosts::at(double cells) {
    cells = std::min(cells, kMostCells);
    auto& terms = by_cells_[cells];
    if (!terms) terms = std::make_unique<FamilyTerms>(options_, rows_, states_, cells);
    return *terms;
}

}  // namespace chordlearn
