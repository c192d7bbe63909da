#include "large/exact_part.hpp"

#include <algorithm>
#include <unordered_map>

#include "engine/part.hpp"
#include "scoring/all_sets.hpp"

namespace chordlearn {

namespace {

// Beyond the largest clique there is, so many variables more are tried.
constexpr int kMoreInClique = 3;

// The rows of a few columns, equal ones counted together.
CodedTable project(const CodedTable& table, const std::vector<int>& columns, const Control& control) {
    constexpr std::size_t kStep = 1 << 14;  // rows
    CodedTable part;
    part.rows = table.rows;
    std::vector<std::uint64_t> keys(table.distinct(), 0);
    for (int column : columns) {
        control.check();
        const std::uint32_t arity = table.arities[column];
        part.arities.push_back(arity);
        const std::uint16_t* codes = table.columns[column].data();
        for (std::size_t r = 0; r < keys.size(); ++r) keys[r] = keys[r] * arity + codes[r];
    }
    std::unordered_map<std::uint64_t, std::uint32_t> places;
    places.reserve(keys.size() / 4);
    std::vector<std::uint32_t> examples;
    for (std::size_t r = 0; r < keys.size(); ++r) {
        if (r % kStep == 0) control.check();
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

}  // namespace

bool fits_part(const CodedTable& table, const std::vector<int>& variables) {
    double cells = 1;
    for (int variable : variables) cells *= table.arities[variable];
    return cells < 0x1p63;
}

std::optional<PartImprovement> improve_exactly(const CodedTable& table, const TermStore& store, const ExactPart& part,
                                               Control& control) {
    control.check();
    const int k = static_cast<int>(part.variables.size());
    int largest = kMoreInClique;
    for (const Set clique : maximal_cliques(part.present)) largest = std::max(largest, size(clique) + kMoreInClique);
    largest = std::min(largest, part.max_clique ? std::min(part.max_clique, k) : k);
    std::vector<double> values(std::size_t{1} << k);
    if (!score_all_sets(project(table, part.variables, control), store, largest, control, values.data()))
        throw Stopped{};
    for (int i = 0; i < k; ++i)
        for_each(part.forbidden[i] & below(i), [&](int j) {
            const Set pair = single(i) | single(j);
            for (std::size_t set = pair; set < values.size(); ++set)
                if ((set & pair) == pair) values[set] = kMinusInfinity;
        });
    const double before = graph_score(part.present, values.data());
    const auto better = improve_part({k, values.data(), part.required}, before, control);
    if (!better) return std::nullopt;
    return PartImprovement{better->graph, better->score - before};
}

}  // namespace chordlearn
