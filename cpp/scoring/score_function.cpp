#include "scoring/score_function.hpp"

#include <cmath>
#include <stdexcept>

#include "scoring/log_rising.hpp"

namespace chordlearn {

ScoreFunction::ScoreFunction(const ScoreOptions& options, double rows, double largest_cells)
    : options_(options), rows_(rows * options.unit) {
    const bool has_parameter = options.kind == ScoreKind::bdeu || options.kind == ScoreKind::dirichlet;
    if (has_parameter && !(options.parameter > 0.0 && std::isfinite(options.parameter)))
        throw std::invalid_argument("the parameter of the score must be positive and finite");
    if (!std::isfinite(options.edge_prior)) throw std::invalid_argument("the edge prior must be finite");
    if (options.kind == ScoreKind::qnml) nml_ = std::make_shared<MultinomialNml>(rows_, largest_cells);
}

double ScoreFunction::constant(double cells) const {
    const auto rising = [&](double a) {
        return counts_whole() ? log_rising_share(a, rows_, rows_)
                              : log_rising_fraction(a, rows_, rows_, log_gamma_of_start(a));
    };
    switch (options_.kind) {
        case ScoreKind::bdeu: return -rising(options_.parameter);
        case ScoreKind::dirichlet: return -rising(options_.parameter * cells);
        case ScoreKind::bic: return rows_ > 0.0 ? -0.5 * std::log(rows_) * (cells - 1.0) : 0.0;
        case ScoreKind::aic: return -(cells - 1.0);
        case ScoreKind::qnml: return -nml_->log_constant(cells);
    }
    return 0.0;
}

double ScoreFunction::start(double cells) const {
    if (counts_whole()) return 0.0;
    switch (options_.kind) {
        case ScoreKind::bdeu: return log_gamma_of_start(options_.parameter / cells);
        case ScoreKind::dirichlet: return log_gamma_of_start(options_.parameter);
        default: return 0.0;
    }
}

double ScoreFunction::term(double count, double cells, double start) const {
    if (count <= 0.0) return 0.0;
    count *= options_.unit;
    const auto rising = [&](double a) {
        return counts_whole() ? log_rising_share(a, count, rows_) : log_rising_fraction(a, count, rows_, start);
    };
    switch (options_.kind) {
        case ScoreKind::bdeu: return rising(options_.parameter / cells);
        case ScoreKind::dirichlet: return rising(options_.parameter);
        default: break;
    }
    // Against cancellation where nearly all rows share a cell.
    return count * (count > 0.5 * rows_ ? std::log1p((count - rows_) / rows_) : std::log(count / rows_));
}

}  // namespace chordlearn
