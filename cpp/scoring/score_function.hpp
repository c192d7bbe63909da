#pragma once

#include <memory>

#include "scoring/multinomial_nml.hpp"

namespace chordlearn {

enum class ScoreKind { bdeu, dirichlet, bic, aic, qnml };

struct ScoreOptions {
    ScoreKind kind = ScoreKind::bdeu;
    double parameter = 1.0;   // equivalent sample size of bdeu, cell parameter of dirichlet
    double edge_prior = 0.0;  // log-odds of an edge
    double unit = 1.0;        // what a count of one stands for: a power of two, below 1 where weights are fractions
};

// Every score is constant(cells) + sum of term(count, cells) over the cells that occur + edges(size).
class ScoreFunction {
public:
    // rows: a count, in units; largest_cells: the most cells that constant() will be asked for.
    ScoreFunction(const ScoreOptions& options, double rows, double largest_cells);

    double constant(double cells) const;
    double term(double count, double cells) const { return term(count, cells, start(cells)); }
    // With what sets with the same number of cells share.
    double term(double count, double cells, double start) const;
    double start(double cells) const;
    double edges(int size) const { return options_.edge_prior * (0.5 * size * (size - 1)); }

    // Whether each count up to all rows may occur, so that a table of their terms is of use.
    bool counts_whole() const { return options_.unit == 1.0; }

    // Whether term() differs between sets with different numbers of cells.
    bool term_depends_on_cells() const { return options_.kind == ScoreKind::bdeu; }

private:
    ScoreOptions options_;
    double rows_;
    std::shared_ptr<const MultinomialNml> nml_;
};

}  // namespace chordlearn
