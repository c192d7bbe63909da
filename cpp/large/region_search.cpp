#include "large/region_search.hpp"

#include <algorithm>
#include <functional>
#include <numeric>
#include <stdexcept>
#include <unordered_set>

#include "large/exact_part.hpp"
#include "large/growth.hpp"

namespace chordlearn {

namespace {

constexpr std::size_t kMostExact = 20;   // variables that are solved at a time
constexpr int kSettleSizes[] = {9, 12};  // of the parts that are solved exactly after annealing
constexpr double kLeastGain = 1e-7;      // more than rounding may feign

void check(const CodedTable& table, const RegionTask& task) {
    const auto& variables = task.variables;
    const bool increasing =
        std::adjacent_find(variables.begin(), variables.end(), std::greater_equal<>()) == variables.end();
    if (variables.empty() || !increasing || variables.front() < 0 || variables.back() >= table.variables())
        throw std::invalid_argument("the variables of a region must be in increasing order, and exist");
    const bool solvable = task.annealing.moves > 0 ? variables.size() <= Mask::kMost
                                                   : variables.size() <= kMostExact && fits_part(table, variables);
    if (!solvable) throw std::invalid_argument("a region has too many variables");
}

// Edges in the places of their variables within the region.
WideGraph localised(const std::vector<int>& variables, const EdgeList& edges) {
    WideGraph graph(static_cast<int>(variables.size()));
    const auto place = [&](int variable) {
        const auto found = std::lower_bound(variables.begin(), variables.end(), variable);
        if (found == variables.end() || *found != variable) throw std::invalid_argument("an edge leaves its region");
        return static_cast<int>(found - variables.begin());
    };
    for (const auto& [a, b] : edges) graph.connect(place(a), place(b));
    return graph;
}

RegionWalk::Graph masks_of(const WideGraph& graph) {
    RegionWalk::Graph masks(graph.size());
    for (int i = 0; i < graph.size(); ++i)
        for (int j : graph.neighbours(i)) masks[i] = masks[i] | Mask::one(j);
    return masks;
}

WideGraph graph_of_masks(const RegionWalk::Graph& masks) {
    WideGraph graph(static_cast<int>(masks.size()));
    for (int i = 0; i < graph.size(); ++i)
        for_each(masks[i], [&](int j) {
            if (j < i) graph.connect(j, i);
        });
    return graph;
}

class RegionSearch {
public:
    RegionSearch(const CodedTable& table, const TermStore& store, const RegionTask& task, Control& control)
        : table_(table),
          store_(store),
          task_(task),
          control_(control),
          random_(task.seed),
          graph_(localised(task.variables, task.present)),
          required_(localised(task.variables, task.required)),
          forbidden_(localised(task.variables, task.forbidden)) {}

    std::optional<RegionChange> run() {
        if (task_.annealing.moves == 0) {
            std::vector<int> all(task_.variables.size());
            std::iota(all.begin(), all.end(), 0);
            solve(all, {});
        } else {
            anneal();
            for (int most : kSettleSizes) settle(most);
        }
        if (!(gain_ > kLeastGain)) return std::nullopt;
        RegionChange change{task_.variables, {}, gain_};
        for (const auto& [a, b] : edges_of(graph_)) change.edges.emplace_back(task_.variables[a], task_.variables[b]);
        return change;
    }

private:
    void anneal() {
        RegionScorer scorer(table_, store_, task_.variables);
        RegionWalk walk(scorer, masks_of(graph_), {masks_of(required_), masks_of(forbidden_), task_.max_clique});
        walk.anneal(task_.annealing, random_, control_);
        graph_ = graph_of_masks(walk.graph());
        gain_ += walk.gain();
    }

    // Solves parts here and there until too many in a row give nothing.
    void settle(int most) {
        std::unordered_set<std::uint64_t> tried;
        int failures = 0, patience = 1;
        while (failures < patience) {
            const GrowingTree tree(graph_, random_);
            patience = 2 + tree.size() / 2;
            const std::vector<bool> none(tree.size(), false);
            for (bool changed = false; !changed && failures < patience;) {
                const int first = static_cast<int>(random_.below(static_cast<std::uint32_t>(tree.size())));
                const Region region = tree.grow(first, most, none, random_);
                changed = region.variables.size() > 2 && tried.insert(hash_of(region.variables)).second &&
                          solve(region.variables, region.kept_edges());
                failures = changed ? 0 : failures + 1;
            }
            tried.clear();
        }
    }

    bool solve(const std::vector<int>& places, const EdgeList& kept) {
        const int k = static_cast<int>(places.size());
        ExactPart part{{}, Graph(k, 0), Graph(k, 0), Graph(k, 0), task_.max_clique};
        for (int place : places) part.variables.push_back(task_.variables[place]);
        if (!fits_part(table_, part.variables)) return false;
        for (int i = 0; i < k; ++i)
            for (int j = 0; j < k; ++j) {
                if (graph_.adjacent(places[i], places[j])) part.present[i] |= single(j);
                if (required_.adjacent(places[i], places[j])) part.required[i] |= single(j);
                if (forbidden_.adjacent(places[i], places[j])) part.forbidden[i] |= single(j);
            }
        const auto number = [&](int place) {
            return static_cast<int>(std::lower_bound(places.begin(), places.end(), place) - places.begin());
        };
        for (const auto& [a, b] : kept) {
            part.required[number(a)] |= single(number(b));
            part.required[number(b)] |= single(number(a));
        }
        const auto better = improve_exactly(table_, store_, part, control_);
        if (!better) return false;
        EdgeList edges;
        for (int i = 0; i < k; ++i)
            for_each(better->graph[i] & below(i), [&](int j) { edges.emplace_back(places[i], places[j]); });
        replace_among(graph_, places, edges);
        gain_ += better->gain;
        return true;
    }

    const CodedTable& table_;
    const TermStore& store_;
    const RegionTask& task_;
    Control& control_;
    Random random_;
    WideGraph graph_, required_, forbidden_;
    double gain_ = 0;
};

}  // namespace

std::optional<RegionChange> improve_region(const CodedTable& table, const TermStore& store, const RegionTask& task,
                                           Control& control) {
    check(table, task);
    return RegionSearch(table, store, task, control).run();
}

}  // namespace chordlearn
