#include "large/wide_search.hpp"

#include <algorithm>
#include <cmath>
#include <iterator>
#include <stdexcept>

#include "large/exact_part.hpp"
#include "scoring/some_sets.hpp"

namespace chordlearn {

namespace {

constexpr int kForestClique = 2;
constexpr int kSmallestPart = 9, kLargestPart = 13;  // variables
constexpr int kPartsOfWave = 8;                      // solved side by side
constexpr int kRegionSizes[] = {20, 32, 48, 64, 96, Mask::kMost};
constexpr int kLeastRegions = 4, kMostRegions = 16;  // annealed side by side
constexpr int kHighestLevel = 4;                     // each anneals twice as long as the one before
constexpr int kPatience = 4;                         // waves of annealing in vain before the search ends
constexpr double kMovesPerVariable = 4e3, kRowsOfMoves = 4e9;
constexpr double kHottest = 0.25, kColdestStart = 0.03, kCold = 1e-3;  // as parts of the typical gain
constexpr double kColdest = 0.25;                                      // differences in score that mean little
constexpr std::size_t kMostSolved = std::size_t{1} << 20;

std::uint64_t hash_of_task(const RegionTask& task) {
    std::uint64_t hash = hash_of(task.variables);
    const auto mix = [&](int v) { hash = Random(hash ^ static_cast<std::uint64_t>(v)).bits(); };
    for (const auto* edges : {&task.present, &task.required})
        for (const auto& [a, b] : *edges) mix(a), mix(b);
    return hash;
}

bool answers(const RegionTask& task, const RegionChange& change) {
    const auto inside = [&](int v) { return std::binary_search(task.variables.begin(), task.variables.end(), v); };
    return change.variables == task.variables &&
           std::all_of(change.edges.begin(), change.edges.end(), [&](const auto& edge) {
               return inside(edge.first) && inside(edge.second) && edge.first != edge.second;
           });
}

}  // namespace

WideSearch::WideSearch(const CodedTable& table, const ScoreOptions& score, WideOptions options)
    : table_(table),
      options_of_score_(score),
      options_(std::move(options)),
      required_(table.variables()),
      forbidden_(table.variables()),
      graph_(table.variables()),
      random_(options_.seed * 0x9e3779b97f4a7c15ULL + 17),
      part_size_(kSmallestPart) {
    WideGraph required = graph_of(graph_.size(), options_.required);
    const WideGraph forbidden = graph_of(graph_.size(), options_.forbidden);
    for (int i = 0; i < graph_.size(); ++i) {
        required_[i] = required.neighbours(i);
        forbidden_[i] = forbidden.neighbours(i);
    }
    WideGraph start = chordal_completion(std::move(required));
    feasible_ = is_allowed(start);
    if (feasible_) begin(std::move(start));
}

void WideSearch::start(int threads, const Control& control) {
    if (!feasible_ || options_.max_clique == 1) return;
    const PairScores pairs = score_pairs(table_, options_of_score_, threads, control);
    WideGraph graph = graph_;
    join_by_best_forest(graph, pairs, options_.forbidden);
    typical_gain_ = pairs.typical_gain();
    begin(std::move(graph));
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
    score_ = exact_score(graph_);
    part_size_ = kSmallestPart;
    failures_ = level_ = 0;
    solved_.clear();
    ended_ = forest_only();
}

// With cliques of at most two the best forest is the optimum.
bool WideSearch::forest_only() const {
    return graph_.size() <= kForestClique || (options_.max_clique != 0 && options_.max_clique <= kForestClique);
}

bool WideSearch::is_allowed(const WideGraph& graph) const {
    for (const auto& [a, b] : options_.forbidden)
        if (graph.adjacent(a, b)) return false;
    if (!options_.max_clique) return true;
    const auto nodes = junction_forest(graph).nodes;
    return std::all_of(nodes.begin(), nodes.end(),
                       [&](const auto& node) { return static_cast<int>(node.clique.size()) <= options_.max_clique; });
}

std::vector<RegionTask> WideSearch::propose() {
    regions_.clear();
    tasks_.clear();
    if (forest_only()) return {};
    const GrowingTree tree(graph_, random_);
    cliques_ = tree.size();
    if (part_size_ > 0)
        propose_parts(tree);
    else
        propose_annealing(tree);
    return tasks_;
}

void WideSearch::propose_parts(const GrowingTree& tree) {
    std::vector<bool> taken(tree.size(), false);
    for (int attempt = 0; attempt < 3 * kPartsOfWave && tasks_.size() < kPartsOfWave; ++attempt) {
        const int first = static_cast<int>(random_.below(static_cast<std::uint32_t>(tree.size())));
        if (taken[first]) continue;
        Region region = tree.grow(first, part_size_, taken, random_);
        if (region.variables.size() < 3 || !fits_part(table_, region.variables)) continue;
        RegionTask task = task_of(region);
        if (solved_.contains(hash_of_task(task))) continue;
        for (int node : region.nodes) taken[node] = true;
        tasks_.push_back(std::move(task));
        regions_.push_back(std::move(region));
    }
}

void WideSearch::propose_annealing(const GrowingTree& tree) {
    std::vector<bool> taken(tree.size(), false);
    const std::vector<bool> none(tree.size(), false);
    for (int attempt = 0; attempt < 2 * kMostRegions && tasks_.size() < kMostRegions; ++attempt) {
        const int first = static_cast<int>(random_.below(static_cast<std::uint32_t>(tree.size())));
        const bool overlaps = taken[first];
        if (overlaps && tasks_.size() >= kLeastRegions) continue;
        const int most = kRegionSizes[random_.below(static_cast<std::uint32_t>(std::size(kRegionSizes)))];
        Region region = tree.grow(first, most, overlaps ? none : taken, random_);
        if (region.variables.size() < 3) continue;
        RegionTask task = task_of(region);
        const double moves = std::min(kMovesPerVariable * static_cast<double>(region.variables.size()),
                                      kRowsOfMoves / static_cast<double>(table_.distinct()));
        task.annealing.moves = static_cast<std::uint64_t>(std::ldexp(moves, level_)) + 1;
        task.annealing.hot = typical_gain_ * kColdestStart * std::pow(kHottest / kColdestStart, random_.unit());
        task.annealing.cold = std::min(task.annealing.hot, std::max(typical_gain_ * kCold, kColdest));
        task.seed = random_.bits();
        for (int node : region.nodes) taken[node] = true;
        tasks_.push_back(std::move(task));
        regions_.push_back(std::move(region));
    }
}

RegionTask WideSearch::task_of(const Region& region) const {
    const auto& variables = region.variables;
    const auto pairs_inside = [&](int i, const std::vector<int>& others, EdgeList& edges) {
        for (int j : others)
            if (i < j && std::binary_search(variables.begin(), variables.end(), j)) edges.emplace_back(i, j);
    };
    RegionTask task;
    task.variables = variables;
    task.max_clique = options_.max_clique;
    task.required = region.kept_edges();
    for (int i : variables) {
        pairs_inside(i, graph_.neighbours(i), task.present);
        pairs_inside(i, required_[i], task.required);
        pairs_inside(i, forbidden_[i], task.forbidden);
    }
    return task;
}

void WideSearch::accept(const std::vector<std::optional<RegionChange>>& changes) {
    if (changes.size() != tasks_.size())
        throw std::invalid_argument("there must be an answer to each region of the wave");
    std::vector<std::size_t> order;
    for (std::size_t k = 0; k < changes.size(); ++k) {
        if (changes[k] && !answers(tasks_[k], *changes[k]))
            throw std::invalid_argument("an answer is to another region");
        if (changes[k])
            order.push_back(k);
        else if (part_size_ > 0 && solved_.size() < kMostSolved)
            solved_.insert(hash_of_task(tasks_[k]));
    }
    std::stable_sort(order.begin(), order.end(),
                     [&](std::size_t a, std::size_t b) { return changes[a]->gain > changes[b]->gain; });
    std::unordered_set<int> changed;  // nodes of the junction tree
    for (std::size_t k : order) {
        const auto& nodes = regions_[k].nodes;
        if (std::any_of(nodes.begin(), nodes.end(), [&](int node) { return changed.contains(node); })) continue;
        changed.insert(nodes.begin(), nodes.end());
        replace_among(graph_, changes[k]->variables, changes[k]->edges);
        score_ += changes[k]->gain;
    }
    if (order.empty())
        note_failure();
    else
        note_success();
}

void WideSearch::note_success() {
    failures_ = 0;
    if (part_size_ == 0) part_size_ = kSmallestPart;
}

void WideSearch::note_failure() {
    if (part_size_ > 0) {
        failures_ += std::max(1, static_cast<int>(tasks_.size()));
        if (failures_ < std::max(2 * kPartsOfWave, cliques_)) return;
        failures_ = 0;
        part_size_ = part_size_ < kLargestPart ? part_size_ + 1 : 0;
    } else {
        ended_ = ended_ || ++failures_ >= kPatience;
        level_ = std::min(level_ + 1, kHighestLevel);
    }
}

double WideSearch::exact_score() const { return feasible_ ? exact_score(graph_) : kNoScore; }

double WideSearch::exact_score(const WideGraph& graph) const {
    SetScorer scorer(table_, options_of_score_);
    double score = 0;
    for (const auto& node : junction_forest(graph).nodes) {
        score += scorer.score(node.clique);
        if (!node.separator.empty()) score -= scorer.score(node.separator);
    }
    return score;
}

WideState WideSearch::state() const {
    WideState state{edges_of(graph_), score_,     typical_gain_,
                    random_.state(),  part_size_, failures_,
                    level_,           ended_,     {solved_.begin(), solved_.end()}};
    std::sort(state.solved.begin(), state.solved.end());
    return state;
}

void WideSearch::restore(const WideState& state) {
    WideGraph graph = graph_of(graph_.size(), state.edges);
    for (const auto& [a, b] : options_.required)
        if (!graph.adjacent(a, b)) throw std::invalid_argument("the state lacks a required edge");
    if (!is_chordal(graph) || !is_allowed(graph))
        throw std::invalid_argument("the state is not a network that the constraints allow");
    const double score = exact_score(graph);
    if (!(std::abs(score - state.score) <= 1e-6 * (1 + std::abs(score))))
        throw std::invalid_argument("the state is of other data");
    const bool has_part = state.part_size >= kSmallestPart && state.part_size <= kLargestPart;
    if ((state.part_size != 0 && !has_part) || state.failures < 0 || state.level < 0 || state.level > kHighestLevel ||
        !(state.typical_gain >= 0) || !std::isfinite(state.typical_gain))
        throw std::invalid_argument("the state is none that a search can be in");
    graph_ = std::move(graph);
    score_ = score;
    typical_gain_ = state.typical_gain;
    random_ = Random(state.random);
    part_size_ = state.part_size;
    failures_ = state.failures;
    level_ = state.level;
    ended_ = state.ended;
    solved_ = {state.solved.begin(), state.solved.end()};
}

}  // namespace chordlearn
