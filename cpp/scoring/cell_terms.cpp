#include "scoring/cell_terms.hpp"

#include <algorithm>
#include <cmath>

#include "scoring/term_store.hpp"

namespace chordlearn {
namespace {

constexpr std::size_t kMostClasses = std::size_t{1} << 16;
constexpr double kMostEntries = 8.0 * 1024 * 1024;

// How many variables there are of each arity.
std::map<std::uint32_t, std::size_t> arity_counts(const std::vector<std::uint32_t>& arities) {
    std::map<std::uint32_t, std::size_t> counts;
    for (const std::uint32_t arity : arities) ++counts[arity];
    return counts;
}

std::size_t count_classes(const std::map<std::uint32_t, std::size_t>& counts) {
    std::size_t classes = 1;
    for (const auto& [arity, count] : counts) {
        classes *= count + 1;
        if (classes > kMostClasses) return kMostClasses + 1;
    }
    return classes;
}

// A table entry costs about as much as a term computed on the spot: no more entries than terms.
std::uint64_t table_length(std::size_t tables, double work, std::uint64_t longest) {
    const double entries = std::min(kMostEntries, work) / static_cast<double>(tables);
    return static_cast<std::uint64_t>(std::min(static_cast<double>(longest) + 1.0, std::max(entries, 2.0)));
}

// Writes the terms of all counts below length, unless it is stopped.
void fill_terms(double* table, std::uint64_t length, const ScoreFunction& function, double cells,
                const Control& control) {
    constexpr std::uint64_t kStep = 1 << 12;
    for (std::uint64_t first = 0; first < length && !control.stop.load(); first += kStep)
        for (std::uint64_t c = first; c < std::min(first + kStep, length); ++c)
            table[c] = function.term(static_cast<double>(c), cells);
}

}  // namespace

void CellTermsTable::number_classes(const std::vector<std::uint32_t>& arities) {
    classes_ = count_classes(arity_counts_);
    std::size_t step = 1;
    for (const auto& [arity, count] : arity_counts_) {
        step_of_[arity] = classes_ <= kMostClasses ? step : 0;
        step *= count + 1;
    }
    for (const std::uint32_t arity : arities) steps_.push_back(step_of_[arity]);
}

CellTermsTable::Class CellTermsTable::describe(std::size_t index) const {
    Class found;
    for (const auto& [arity, count] : arity_counts_) {
        const std::size_t copies = index / step_of_.at(arity) % (count + 1);
        for (std::size_t i = 0; i < copies; ++i) {
            found.cells *= arity;
            found.sets *= static_cast<double>(count - i) / static_cast<double>(i + 1);
        }
        found.size += static_cast<int>(copies);
    }
    return found;
}

CellTermsTable::CellTermsTable(const ScoreFunction& function, const std::vector<std::uint32_t>& arities, int max_size,
                               double work, std::uint64_t longest, const Control& control)
    : function_(&function), arity_counts_(arity_counts(arities)) {
    number_classes(arities);
    const bool few = classes_ <= kMostClasses, shared = !function.term_depends_on_cells();
    if (!few && !shared) return;
    const std::uint64_t length = table_length(shared ? 1 : classes_, work, function.counts_whole() ? longest : 0);
    if (shared) {
        shared_length_ = length;
        storage_.resize(length);
        fill_terms(storage_.data(), length, function, 1.0, control);
    }
    if (!few) return;
    by_class_.resize(classes_);
    if (!shared) storage_.resize(classes_ * length);
    for (std::size_t index = 0; index < classes_; ++index) {
        const Class described = describe(index);
        if (described.size > max_size) continue;
        const double cells = described.cells;
        CellTerms& terms = by_class_[index];
        terms = {storage_.data(), length, cells, function.constant(cells), &function, function.start(cells)};
        if (shared) continue;
        double* table = storage_.data() + index * length;
        fill_terms(table, length, function, cells, control);
        terms.table = table;
    }
}

CellTermsTable::CellTermsTable(const TermStore& store, const std::vector<std::uint32_t>& arities, int max_size,
                               double distinct)
    : function_(&store.function()), arity_counts_(arity_counts(arities)) {
    number_classes(arities);
    if (classes_ > kMostClasses) return;
    by_class_.resize(classes_);
    for (std::size_t index = 0; index < classes_; ++index) {
        const Class described = describe(index);
        if (described.size <= max_size)
            by_class_[index] = store.terms(described.cells, described.sets * std::min(described.cells, distinct));
    }
}

CellTerms CellTermsTable::make(double cells) const {
    return {storage_.data(), shared_length_, cells, function_->constant(cells), function_, function_->start(cells)};
}

double CellTermsTable::bytes(const std::vector<std::uint32_t>& arities, std::uint64_t longest, double work) {
    const std::size_t classes = std::min(count_classes(arity_counts(arities)), kMostClasses);
    const double length = static_cast<double>(table_length(classes, work, longest));
    return 8.0 * length * static_cast<double>(classes) + static_cast<double>(sizeof(CellTerms) * classes);
}

}  // namespace chordlearn
