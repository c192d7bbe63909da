#include "large/large_search.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <optional>
#include <unordered_map>
#include <unordered_set>

#include "common/parallel.hpp"
#include "common/random.hpp"
#include "engine/part.hpp"
#include "large/pair_scores.hpp"
#include "scoring/all_sets.hpp"
#include "scoring/some_sets.hpp"

namespace chordlearn {

namespace {

constexpr int kSmallest = 9, kLargest = 14;  // variables of a neighbourhood
constexpr int kWave = 8;                     // neighbourhoods solved side by side

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

// Whether the codes of these columns fit one 64-bit key.
bool fits_key(const CodedTable& table, const std::vector<int>& columns) {
    double cells = 1;
    for (int column : columns) cells *= table.arities[column];
    return cells < 0x1p63;
}

// A connected part of the junction tree: its variables, and the sets towards the rest that must stay complete.
struct Neighbourhood {
    std::vector<int> variables;
    std::vector<std::vector<int>> separators;
    std::vector<int> nodes;
};

struct Change {
    std::vector<int> variables;
    std::vector<std::pair<int, int>> edges;  // all edges among the variables
    double gain;
};

class Search {
public:
    Search(const CodedTable& table, const ScoreOptions& score, const LargeOptions& options, Control& control)
        : table_(table), score_(score), options_(options), control_(control), graph_(table.variables()),
          required_(table.variables()), forbidden_(table.variables()) {
        for (const auto& [a, b] : options.required) required_[a].push_back(b), required_[b].push_back(a);
        for (const auto& [a, b] : options.forbidden) forbidden_[a].push_back(b), forbidden_[b].push_back(a);
    }

    LargeNetwork run() {
        for (const auto& [a, b] : options_.required) graph_.connect(a, b);
        graph_ = chordal_completion(std::move(graph_));
        if (!is_allowed(graph_)) return best_;
        best_.graph = graph_;
        try {
            start();
            best_ = {graph_, score_now_};
            control_.score = score_now_;
            // With cliques of at most two the best forest is the optimum.
            if (options_.max_clique == 0 || options_.max_clique > 2) improve();
        } catch (const Stopped&) {
            // The best network so far is the answer.
        }
        best_.score = exact_score(best_.graph);
        return best_;
    }

private:
    // Joins what the required edges leave apart by the forest of largest gain.
    void start() {
        pairs_ = score_pairs(table_, score_, options_.threads, control_);
        const int n = graph_.size();
        std::vector<int> part(n);
        std::iota(part.begin(), part.end(), 0);
        const auto find = [&](int i) {
            while (part[i] != i) i = part[i] = part[part[i]];
            return i;
        };
        const auto join = [&](int i, int j) {
            const int a = find(i), b = find(j);
            part[a] = b;
            return a != b;
        };
        for (const auto& [a, b] : options_.required) join(a, b);
        std::vector<std::pair<double, std::pair<int, int>>> edges;
        for (int i = 1; i < n && options_.max_clique != 1; ++i)
            for (int j = 0; j < i; ++j)
                if (pairs_.gain(i, j) > 0 && !contains(forbidden_[i], j))
                    edges.push_back({-pairs_.gain(i, j), {j, i}});
        std::sort(edges.begin(), edges.end());
        for (const auto& [gain, edge] : edges)
            if (join(edge.first, edge.second)) graph_.connect(edge.first, edge.second);
        score_now_ = exact_score(graph_);
    }

    // Whether a clique is too large or holds a forbidden edge; only the required edges can have brought that about.
    bool is_allowed(const WideGraph& graph) const {
        for (const auto& [a, b] : options_.forbidden)
            if (graph.adjacent(a, b)) return false;
        if (!options_.max_clique) return true;
        const auto nodes = junction_forest(graph).nodes;
        return std::all_of(nodes.begin(), nodes.end(), [&](const auto& node) {
            return static_cast<int>(node.clique.size()) <= options_.max_clique;
        });
    }

    static bool contains(const std::vector<int>& list, int value) {
        return std::find(list.begin(), list.end(), value) != list.end();
    }

    void improve() {
        if (graph_.size() < 3) return;
        Random random(options_.seed * 0x9e3779b97f4a7c15ULL + 17);
        int most = kSmallest, failures = 0;
        for (;;) {
            control_.check();
            const JunctionForest forest = junction_forest(graph_);
            std::vector<Neighbourhood> wave = choose(forest, most, random);
            std::vector<std::optional<Change>> changes(wave.size());
            parallel_for(wave.size(), options_.threads, [&](std::size_t k) { changes[k] = solve(wave[k]); });
            bool better = false;
            for (const auto& change : changes)
                if (change) {
                    apply(*change);
                    better = true;
                }
            control_.done += wave.size();
            if (better) {
                failures = 0;
                solved_.clear();
                if (score_now_ > best_.score) {
                    best_ = {graph_, score_now_};
                    control_.score = score_now_;
                }
            } else {
                failures += std::max<int>(1, static_cast<int>(wave.size()));
            }
            const int patience = std::max(2 * kWave, static_cast<int>(forest.nodes.size()));
            if (failures >= patience) {
                failures = 0;
                if (most < kLargest)
                    ++most;
                else if (!options_.endless)
                    return;
            }
        }
    }

    // Neighbourhoods without a common node of the tree, none of which was solved in vain before.
    std::vector<Neighbourhood> choose(const JunctionForest& forest, int most, Random& random) {
        const int count = static_cast<int>(forest.nodes.size());
        std::vector<std::vector<int>> joined(count);
        for (int k = 0; k < count; ++k) {
            int parent = forest.nodes[k].parent;
            if (parent < 0 && k > 0) parent = static_cast<int>(random.below(static_cast<std::uint32_t>(k)));
            if (parent < 0) continue;
            joined[k].push_back(parent);
            joined[parent].push_back(k);
        }
        std::vector<bool> taken(count, false);
        std::vector<Neighbourhood> wave;
        for (int attempt = 0; attempt < 3 * kWave && static_cast<int>(wave.size()) < kWave; ++attempt) {
            const int seed = static_cast<int>(random.below(static_cast<std::uint32_t>(count)));
            if (taken[seed]) continue;
            Neighbourhood chosen = grow(forest, joined, taken, seed, most, random);
            if (chosen.variables.size() < 3 || !fits_key(table_, chosen.variables)) continue;
            if (!solved_.insert(hash_of(chosen)).second) continue;
            for (int node : chosen.nodes) taken[node] = true;
            wave.push_back(std::move(chosen));
        }
        return wave;
    }

    Neighbourhood grow(const JunctionForest& forest, const std::vector<std::vector<int>>& joined,
                       const std::vector<bool>& taken, int seed, int most, Random& random) const {
        Neighbourhood chosen;
        std::vector<int> frontier{seed};
        std::unordered_set<int> inside;
        while (!frontier.empty()) {
            const std::size_t pick = random.below(static_cast<std::uint32_t>(frontier.size()));
            const int node = frontier[pick];
            frontier[pick] = frontier.back();
            frontier.pop_back();
            std::vector<int> together;
            std::set_union(chosen.variables.begin(), chosen.variables.end(), forest.nodes[node].clique.begin(),
                           forest.nodes[node].clique.end(), std::back_inserter(together));
            if (static_cast<int>(together.size()) > most) continue;
            chosen.variables = std::move(together);
            inside.insert(node);
            chosen.nodes.push_back(node);
            for (int next : joined[node])
                if (!taken[next] && !inside.contains(next)) frontier.push_back(next);
        }
        for (int node : chosen.nodes) {
            const auto& own = forest.nodes[node];
            if (own.parent >= 0 && !inside.contains(own.parent)) chosen.separators.push_back(own.separator);
            for (int next : joined[node])
                if (forest.nodes[next].parent == node && !inside.contains(next))
                    chosen.separators.push_back(forest.nodes[next].separator);
        }
        return chosen;
    }

    static std::uint64_t hash_of(const Neighbourhood& chosen) {
        std::uint64_t hash = 0x51ed270b;
        for (int v : chosen.variables) hash = Random(hash ^ static_cast<std::uint64_t>(v)).bits();
        return hash;
    }

    std::optional<Change> solve(const Neighbourhood& chosen) const {
        control_.check();
        const auto& variables = chosen.variables;
        const int k = static_cast<int>(variables.size());
        const auto number = [&](int variable) {
            return static_cast<int>(std::lower_bound(variables.begin(), variables.end(), variable) -
                                    variables.begin());
        };
        const auto is_inside = [&](int variable) {
            return std::binary_search(variables.begin(), variables.end(), variable);
        };
        std::vector<double> values(std::size_t{1} << k);
        const int largest = options_.max_clique ? std::min(options_.max_clique, k) : k;
        Control quiet;
        score_all_sets(project(table_, variables), score_, largest, 1, quiet, values.data());
        Instance part;
        part.n = k;
        part.v = values.data();
        part.required.assign(k, 0);
        for (int i = 0; i < k; ++i) {
            for (int other : required_[variables[i]])
                if (is_inside(other)) part.required[i] |= single(number(other));
            for (int other : forbidden_[variables[i]]) {
                if (!is_inside(other)) continue;
                const Set pair = single(i) | single(number(other));
                for (std::size_t set = 0; set < values.size(); ++set)
                    if ((set & pair) == pair) values[set] = kMinusInfinity;
            }
        }
        for (const auto& separator : chosen.separators) {
            Set inner = 0;
            for (int variable : separator) inner |= single(number(variable));
            require_complete(part, inner);
        }
        Graph current(k, 0);
        for (int i = 0; i < k; ++i)
            for (int other : graph_.neighbours(variables[i]))
                if (is_inside(other)) current[i] |= single(number(other));
        const double before = graph_score(current, values.data());
        const auto better = improve_part(part, before, control_);
        if (!better) return std::nullopt;
        Change change{variables, {}, better->score - before};
        for (int i = 0; i < k; ++i)
            for_each(better->graph[i] & below(i), [&](int j) { change.edges.emplace_back(variables[j], variables[i]); });
        return change;
    }

    void apply(const Change& change) {
        for (std::size_t i = 0; i < change.variables.size(); ++i)
            for (std::size_t j = 0; j < i; ++j)
                if (graph_.adjacent(change.variables[i], change.variables[j]))
                    graph_.disconnect(change.variables[i], change.variables[j]);
        for (const auto& [a, b] : change.edges) graph_.connect(a, b);
        score_now_ += change.gain;
    }

    double exact_score(const WideGraph& graph) const {
        SetScorer scorer(table_, score_);
        double score = 0;
        for (const auto& node : junction_forest(graph).nodes) {
            score += scorer.score(node.clique);
            if (!node.separator.empty()) score -= scorer.score(node.separator);
        }
        return score;
    }

    const CodedTable& table_;
    const ScoreOptions& score_;
    const LargeOptions& options_;
    Control& control_;
    WideGraph graph_;
    std::vector<std::vector<int>> required_, forbidden_;
    PairScores pairs_;
    double score_now_ = 0;
    LargeNetwork best_;
    std::unordered_set<std::uint64_t> solved_;
};

}  // namespace

LargeNetwork search_large(const CodedTable& table, const ScoreOptions& score, const LargeOptions& options,
                          Control& control) {
    return Search(table, score, options, control).run();
}

}  // namespace chordlearn
