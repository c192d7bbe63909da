#include "scoring/some_sets.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <stdexcept>
#include <unordered_map>

#include "scoring/sum.hpp"

namespace chordlearn {
namespace {

constexpr std::uint32_t kUnseen = std::numeric_limits<std::uint32_t>::max();

double number_of_cells(const CodedTable& table, const std::vector<int>& variables) {
    double cells = 1.0;
    for (const int variable : variables) cells *= table.arities[static_cast<std::size_t>(variable)];
    if (!std::isfinite(cells)) throw std::invalid_argument("a set has more than 1e308 joint states");
    return cells;
}

void check_increasing(const CodedTable& table, const std::vector<int>& variables) {
    for (std::size_t i = 0; i < variables.size(); ++i) {
        if (variables[i] < 0 || variables[i] >= table.variables())
            throw std::invalid_argument("a set holds a variable that does not exist");
        if (i > 0 && variables[i] <= variables[i - 1])
            throw std::invalid_argument("the variables of a set must be in increasing order");
    }
}

}  // namespace

SetScorer::SetScorer(const CodedTable& table, const ScoreOptions& options)
    : table_(table),
      function_(options, static_cast<double>(table.rows), static_cast<double>(MultinomialNml::kExactCells)),
      levels_(1) {
    levels_[0].of_row.assign(table.distinct(), 0);
}

double SetScorer::score(const std::vector<int>& variables) {
    if (variables.empty()) return 0.0;
    const double cells = number_of_cells(table_, variables);
    refine(variables);
    Sum sum;
    sum.add(function_.constant(cells));
    // Small counts abound: each is looked up once.
    constexpr std::size_t kSmall = 64, kMostTables = 4096;
    if (terms_.size() > kMostTables) terms_.clear();
    std::vector<double>& few = terms_[cells];
    if (few.empty()) few.assign(kSmall, std::numeric_limits<double>::quiet_NaN());
    const double start = function_.start(cells);
    add_terms(sum, counts_.size(), [&](std::size_t g) {
        const std::uint64_t count = counts_[g];
        if (count >= kSmall) return function_.term(static_cast<double>(count), cells, start);
        if (std::isnan(few[count])) few[count] = function_.term(static_cast<double>(count), cells);
        return few[count];
    });
    sum.add(function_.edges(static_cast<int>(variables.size())));
    return sum.value();
}

std::vector<std::uint64_t> SetScorer::counts(const std::vector<int>& variables) {
    refine(variables);
    return counts_;
}

void SetScorer::refine(const std::vector<int>& variables) {
    check_increasing(table_, variables);
    std::size_t common = 0;
    while (common < prefix_.size() && common < variables.size() && prefix_[common] == variables[common]) ++common;
    prefix_.resize(common);
    if (levels_.size() < variables.size() + 1) levels_.resize(variables.size() + 1);
    for (std::size_t i = common; i < variables.size(); ++i) {
        split(levels_[i], variables[i], levels_[i + 1]);
        prefix_.push_back(variables[i]);
    }
    const Labels& labels = levels_[variables.size()];
    counts_.assign(table_.distinct() == 0 ? 0 : labels.groups, 0);
    for (std::size_t r = 0; r < table_.distinct(); ++r) counts_[labels.of_row[r]] += table_.weights[r];
}

void SetScorer::split(const Labels& labels, int variable, Labels& out) {
    const auto& column = table_.columns[static_cast<std::size_t>(variable)];
    const std::uint64_t states = table_.arities[static_cast<std::size_t>(variable)];
    const std::uint64_t pairs = labels.groups * states;
    const std::size_t size = labels.of_row.size();
    out.of_row.resize(size);
    out.groups = 0;
    if (pairs <= 16 * size + 4096) {
        relabel_.assign(pairs, kUnseen);
        for (std::size_t r = 0; r < size; ++r) {
            std::uint32_t& label = relabel_[labels.of_row[r] * states + column[r]];
            if (label == kUnseen) label = out.groups++;
            out.of_row[r] = label;
        }
        return;
    }
    std::unordered_map<std::uint64_t, std::uint32_t> relabel;
    for (std::size_t r = 0; r < size; ++r) {
        const auto [found, added] = relabel.try_emplace(labels.of_row[r] * states + column[r], out.groups);
        out.groups += added;
        out.of_row[r] = found->second;
    }
}

}  // namespace chordlearn
