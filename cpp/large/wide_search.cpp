#include "large/wide_search.hpp"

#include <algorithm>
#include <cmath>
#include <stdexcept>

#include "large/best_forest.hpp"
#include "large/pair_scores.hpp"
#include "scoring/some_sets.hpp"

namespace chordlearn {

namespace {

constexpr int kSmallest = 9, kLargest = 14;  // variables of a neighbourhood
constexpr int kWave = 8;                     // neighbourhoods solved side by side
constexpr int kForestClique = 2;

std::uint64_t hash_of(const std::vector<int>& variables) {
    std::uint64_t hash = 0x51ed270b;
    for (int v : variables) hash = Random(hash ^ static_cast<std::uint64_t>(v)).bits();
    return hash;
}

EdgeList edges_of(const WideGraph& graph) {
    EdgeList edges;
    for (int i = 0; i < graph.size(); ++i)
        for (int j : graph.neighbours(i))
            if (i < j) edges.emplace_back(i, j);
    return edges;
}

WideGraph graph_of(int n, const EdgeList& edges) {
    WideGraph graph(n);
    for (const auto& [a, b] : edges) {
        if (a < 0 || b < 0 || a >= n || b >= n || a == b) throw std::invalid_argument("an edge has no such variables");
        graph.connect(a, b);
    }
    return graph;
}

}  // namespace

WideSearch::WideSearch(const CodedTable& table, const ScoreOptions& score, WideOptions options)
    : table_(table), score_(score), options_(std::move(options)), required_(table.variables()),
      forbidden_(table.variables()), graph_(table.variables()), best_graph_(table.variables()),
      random_(options_.seed * 0x9e3779b97f4a7c15ULL + 17), most_(kSmallest) {
    WideGraph required = graph_of(graph_.size(), options_.required);
    const WideGraph forbidden = graph_of(graph_.size(), options_.forbidden);
    for (int i = 0; i < graph_.size(); ++i) {
        required_[i] = required.neighbours(i);
        forbidden_[i] = forbidden.neighbours(i);
    }
    graph_ = chordal_completion(std::move(required));
    feasible_ = is_allowed(graph_);
    if (feasible_) begin(graph_);
}

void WideSearch::start(int threads, const Control& control) {
    if (!feasible_ || options_.max_clique == 1) return;
    const PairScores pairs = score_pairs(table_, score_, threads, control);
    join_by_best_forest(graph_, pairs, options_.forbidden);
    begin(graph_);
}

bool WideSearch::start_from(const EdgeList& edges) {
    WideGraph graph = graph_of(graph_.size(), edges);
    for (const auto& [a, b] : options_.required) graph.connect(a, b);
    graph = chordal_completion(std::move(graph));
    if (!is_allowed(graph)) return false;
    begin(std::move(graph));
    return true;
}

void WideSearch::begin(WideGraph graph) {
    graph_ = std::move(graph);
    score_now_ = exact_score(graph_);
    best_graph_ = graph_;
    best_score_ = score_now_;
    most_ = kSmallest;
    failures_ = 0;
    solved_.clear();
    // With cliques of at most two the best forest is the optimum.
    ended_ = graph_.size() < 3 || (options_.max_clique != 0 && options_.max_clique <= kForestClique);
}

bool WideSearch::is_allowed(const WideGraph& graph) const {
    for (const auto& [a, b] : options_.forbidden)
        if (graph.adjacent(a, b)) return false;
    if (!options_.max_clique) return true;
    const auto nodes = junction_forest(graph).nodes;
    return std::all_of(nodes.begin(), nodes.end(), [&](const auto& node) {
        return static_cast<int>(node.clique.size()) <= options_.max_clique;
    });
}

std::vector<NeighbourhoodTask> WideSearch::propose() {
    const JunctionForest forest = junction_forest(graph_);
    const int count = static_cast<int>(forest.nodes.size());
    cliques_ = count;
    std::vector<std::vector<int>> joined(count);
    for (int k = 0; k < count; ++k) {
        int parent = forest.nodes[k].parent;
        if (parent < 0 && k > 0) parent = static_cast<int>(random_.below(static_cast<std::uint32_t>(k)));
        if (parent < 0) continue;
        joined[k].push_back(parent);
        joined[parent].push_back(k);
    }
    std::vector<bool> taken(count, false);
    std::vector<NeighbourhoodTask> wave;
    for (int attempt = 0; attempt < 3 * kWave && static_cast<int>(wave.size()) < kWave; ++attempt) {
        const int seed = static_cast<int>(random_.below(static_cast<std::uint32_t>(count)));
        if (taken[seed]) continue;
        const Region region = grow(forest, joined, taken, seed);
        if (region.variables.size() < 3 || !fits_neighbourhood(table_, region.variables)) continue;
        // What was solved in vain since the last change stays in vain.
        if (!solved_.insert(hash_of(region.variables)).second) continue;
        for (int node : region.nodes) taken[node] = true;
        wave.push_back(task_of(region));
    }
    proposed_ = static_cast<int>(wave.size());
    return wave;
}

WideSearch::Region WideSearch::grow(const JunctionForest& forest, const std::vector<std::vector<int>>& joined,
                                    const std::vector<bool>& taken, int seed) {
    Region region;
    std::vector<int> frontier{seed};
    std::unordered_set<int> inside;
    while (!frontier.empty()) {
        const std::size_t pick = random_.below(static_cast<std::uint32_t>(frontier.size()));
        const int node = frontier[pick];
        frontier[pick] = frontier.back();
        frontier.pop_back();
        std::vector<int> together;
        std::set_union(region.variables.begin(), region.variables.end(), forest.nodes[node].clique.begin(),
                       forest.nodes[node].clique.end(), std::back_inserter(together));
        if (static_cast<int>(together.size()) > most_) continue;
        region.variables = std::move(together);
        inside.insert(node);
        region.nodes.push_back(node);
        for (int next : joined[node])
            if (!taken[next] && !inside.contains(next)) frontier.push_back(next);
    }
    for (int node : region.nodes) {
        const auto& own = forest.nodes[node];
        if (own.parent >= 0 && !inside.contains(own.parent)) region.separators.push_back(own.separator);
        for (int next : joined[node])
            if (forest.nodes[next].parent == node && !inside.contains(next))
                region.separators.push_back(forest.nodes[next].separator);
    }
    return region;
}

NeighbourhoodTask WideSearch::task_of(const Region& region) const {
    const auto& variables = region.variables;
    const auto pairs_inside = [&](int i, const std::vector<int>& others, EdgeList& edges) {
        for (int j : others)
            if (i < j && std::binary_search(variables.begin(), variables.end(), j)) edges.emplace_back(i, j);
    };
    NeighbourhoodTask task;
    task.variables = variables;
    task.max_clique = options_.max_clique;
    for (int i : variables) {
        pairs_inside(i, graph_.neighbours(i), task.present);
        pairs_inside(i, required_[i], task.required);
        pairs_inside(i, forbidden_[i], task.forbidden);
    }
    for (const auto& separator : region.separators)
        for (int i : separator) pairs_inside(i, separator, task.required);
    std::sort(task.required.begin(), task.required.end());
    task.required.erase(std::unique(task.required.begin(), task.required.end()), task.required.end());
    return task;
}

void WideSearch::accept(const std::vector<NeighbourhoodChange>& changes) {
    for (const NeighbourhoodChange& change : changes) {
        for (std::size_t i = 0; i < change.variables.size(); ++i)
            for (std::size_t j = 0; j < i; ++j)
                if (graph_.adjacent(change.variables[i], change.variables[j]))
                    graph_.disconnect(change.variables[i], change.variables[j]);
        for (const auto& [a, b] : change.edges) graph_.connect(a, b);
        score_now_ += change.gain;
    }
    if (score_now_ > best_score_) {
        best_graph_ = graph_;
        best_score_ = score_now_;
    }
    if (!changes.empty()) {
        failures_ = 0;
        solved_.clear();
        return;
    }
    failures_ += std::max(1, proposed_);
    if (failures_ < std::max(2 * kWave, cliques_)) return;
    failures_ = 0;
    if (most_ < kLargest)
        ++most_;
    else
        ended_ = true;
}

double WideSearch::exact_score(const WideGraph& graph) const {
    SetScorer scorer(table_, score_);
    double score = 0;
    for (const auto& node : junction_forest(graph).nodes) {
        score += scorer.score(node.clique);
        if (!node.separator.empty()) score -= scorer.score(node.separator);
    }
    return score;
}

EdgeList WideSearch::best_edges() const { return edges_of(best_graph_); }

WideState WideSearch::state() const {
    WideState state{edges_of(graph_), edges_of(best_graph_), score_now_, best_score_, random_.state(), most_, failures_,
                    ended_, {solved_.begin(), solved_.end()}};
    std::sort(state.solved.begin(), state.solved.end());
    return state;
}

void WideSearch::restore(const WideState& state) {
    WideGraph graph = graph_of(graph_.size(), state.edges), best = graph_of(graph_.size(), state.best_edges);
    for (const auto& [a, b] : options_.required)
        if (!graph.adjacent(a, b) || !best.adjacent(a, b))
            throw std::invalid_argument("the state lacks a required edge");
    if (!is_chordal(graph) || !is_chordal(best) || !is_allowed(graph) || !is_allowed(best))
        throw std::invalid_argument("the state is not a network that the constraints allow");
    const double slack = 1e-6 * (1 + std::abs(state.best_score));
    if (!(std::abs(exact_score(best) - state.best_score) <= slack))
        throw std::invalid_argument("the state is of other data");
    graph_ = std::move(graph);
    best_graph_ = std::move(best);
    score_now_ = state.score;
    best_score_ = state.best_score;
    random_ = Random(state.random);
    most_ = state.most;
    failures_ = state.failures;
    ended_ = state.ended;
    solved_ = {state.solved.begin(), state.solved.end()};
}

}  // namespace chordlearn
