#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <vector>

#include "common/control.hpp"
#include "scoring/score_function.hpp"

namespace chordlearn {

class TermStore;

// The part of a score that sets with the same number of cells share: its constant, and its terms by count, from a
// table as far as that reaches.
struct CellTerms {
    const double* table = nullptr;  // table[c] for c < length
    std::uint64_t length = 0;
    double cells = 1.0;
    double constant = 0.0;
    const ScoreFunction* function = nullptr;
    double start = 0.0;

    double operator()(std::uint64_t count) const {
        return count < length ? table[count] : function->term(static_cast<double>(count), cells, start);
    }
};

// CellTerms for every product of arities. A set is known by its class: the sum over its variables of step(variable),
// which counts how many variables of each arity it has.
class CellTermsTable {
public:
    // work: about how many terms will be asked for; longest: the largest count. Of no use once control asked to stop.
    CellTermsTable(const ScoreFunction& function, const std::vector<std::uint32_t>& arities, int max_size, double work,
                   std::uint64_t longest, const Control& control);

    // With terms from a store; distinct: how many rows differ.
    CellTermsTable(const TermStore& store, const std::vector<std::uint32_t>& arities, int max_size, double distinct);

    std::size_t step(int variable) const { return steps_[static_cast<std::size_t>(variable)]; }
    std::size_t classes() const { return classes_; }

    // Whether classes are few enough to be tabulated; else make() is called for each set.
    bool tabulated() const { return !by_class_.empty(); }
    const CellTerms& of_class(std::size_t index) const { return by_class_[index]; }
    CellTerms make(double cells) const;

    static double bytes(const std::vector<std::uint32_t>& arities, std::uint64_t longest, double work);

private:
    struct Class {
        double cells = 1.0;  // of each of its sets
        double sets = 1.0;
        int size = 0;
    };

    void number_classes(const std::vector<std::uint32_t>& arities);
    Class describe(std::size_t index) const;

    const ScoreFunction* function_;
    std::map<std::uint32_t, std::size_t> arity_counts_, step_of_;
    std::vector<std::size_t> steps_;
    std::size_t classes_ = 1;
    std::vector<CellTerms> by_class_;
    std::vector<double> storage_;
    std::uint64_t shared_length_ = 0;
};

}  // namespace chordlearn
