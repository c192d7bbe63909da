#include "large/neighbourhood_task.hpp"

#include <algorithm>
#include <stdexcept>
#include <unordered_map>

#include "engine/part.hpp"
#include "scoring/all_sets.hpp"

namespace chordlearn {

namespace {

// The rows of a few columns, equal ones counted together.
CodedTable project(const CodedTable& table, const std::vector<int>& columns) {
    CodedTable part;
    part.rows = table.rows;
    std::vector<std::uint64_t> keys(table.distinct(), 0);
    for (int column : columns) {
        const std::uint32_t arity = table.arities[column];
        part.arities.push_back(arity);
        const std::uint16_t* codes = table.columns[column].data();
        for (std::size_t r = 0; r < keys.size(); ++r) keys[r] = keys[r] * arity + codes[r];
    }
    std::unordered_map<std::uint64_t, std::uint32_t> places;
    places.reserve(keys.size() / 4);
    std::vector<std::uint32_t> examples;
    for (std::size_t r = 0; r < keys.size(); ++r) {
        const auto [place, fresh] = places.try_emplace(keys[r], static_cast<std::uint32_t>(examples.size()));
        if (fresh) {
            examples.push_back(static_cast<std::uint32_t>(r));
            part.weights.push_back(0);
        }
        part.weights[place->second] += table.weights[r];
    }
    for (int column : columns) {
        std::vector<std::uint16_t> codes(examples.size());
        for (std::size_t k = 0; k < codes.size(); ++k) codes[k] = table.columns[column][examples[k]];
        part.columns.push_back(std::move(codes));
    }
    return part;
}

class Numbering {
public:
    explicit Numbering(const std::vector<int>& variables) : variables_(variables) {}

    int size() const { return static_cast<int>(variables_.size()); }
    int operator()(int variable) const {
        const auto place = std::lower_bound(variables_.begin(), variables_.end(), variable);
        if (place == variables_.end() || *place != variable)
            throw std::invalid_argument("an edge of a neighbourhood leaves it");
        return static_cast<int>(place - variables_.begin());
    }
    std::vector<Set> graph(const EdgeList& edges) const {
        std::vector<Set> graph(variables_.size(), 0);
        for (const auto& [a, b] : edges) {
            const int i = (*this)(a), j = (*this)(b);
            graph[i] |= single(j);
            graph[j] |= single(i);
        }
        return graph;
    }

private:
    const std::vector<int>& variables_;
};

void check(const CodedTable& table, const NeighbourhoodTask& task) {
    const auto& variables = task.variables;
    const bool increasing = std::adjacent_find(variables.begin(), variables.end(), std::greater_equal<>()) == variables.end();
    if (variables.empty() || !increasing || variables.front() < 0 || variables.back() >= table.variables() ||
        static_cast<int>(variables.size()) > most_dense_variables || !fits_neighbourhood(table, variables))
        throw std::invalid_argument("the variables of a neighbourhood must be few, in increasing order, and exist");
}

}  // namespace

bool fits_neighbourhood(const CodedTable& table, const std::vector<int>& variables) {
    double cells = 1;
    for (int variable : variables) cells *= table.arities[variable];
    return cells < 0x1p63;
}

std::optional<NeighbourhoodChange> solve_neighbourhood(const CodedTable& table, const TermStore& store,
                                                       const NeighbourhoodTask& task, Control& control) {
    control.check();
    check(table, task);
    const Numbering number(task.variables);
    const int k = number.size();
    std::vector<double> values(std::size_t{1} << k);
    Control quiet;
    const int largest = task.max_clique ? std::min(task.max_clique, k) : k;
    score_all_sets(project(table, task.variables), store, largest, quiet, values.data());
    Instance part;
    part.n = k;
    part.v = values.data();
    part.required = number.graph(task.required);
    for (const auto& [a, b] : task.forbidden) {
        const Set pair = single(number(a)) | single(number(b));
        for (std::size_t set = 0; set < values.size(); ++set)
            if ((set & pair) == pair) values[set] = kMinusInfinity;
    }
    const double before = graph_score(number.graph(task.present), values.data());
    const auto better = improve_part(part, before, control);
    if (!better) return std::nullopt;
    NeighbourhoodChange change{task.variables, {}, better->score - before};
    for (int i = 0; i < k; ++i)
        for_each(better->graph[i] & below(i),
                 [&](int j) { change.edges.emplace_back(task.variables[j], task.variables[i]); });
    return change;
}

}  // namespace chordlearn
