#pragma once

#include <cstdint>
#include <limits>
#include <unordered_set>
#include <vector>

#include "common/control.hpp"
#include "common/random.hpp"
#include "large/neighbourhood_task.hpp"
#include "large/wide_graph.hpp"
#include "scoring/score_function.hpp"

namespace chordlearn {

inline constexpr double kNoScore = -std::numeric_limits<double>::infinity();

struct WideOptions {
    int max_clique = 0;  // 0: as large as a neighbourhood
    EdgeList required, forbidden;
    std::uint64_t seed = 0;
};

// All that the search goes by between two waves.
struct WideState {
    EdgeList edges, best_edges;
    double score = 0, best_score = 0;
    std::uint64_t random = 0;
    int most = 0, failures = 0;
    bool ended = false;
    std::vector<std::uint64_t> solved;
};

// For tables with too many variables to score all sets of them. Starts from the best forest and puts the best graph on one
// neighbourhood after the other: some ten variables of a connected part of the junction tree, whose sets are scored and
// solved exactly while the separators towards the rest stay complete. The neighbourhoods of a wave do not meet, so they can
// be solved anywhere and in any order; the search depends on the seed alone.
class WideSearch {
public:
    WideSearch(const CodedTable& table, const ScoreOptions& score, WideOptions options);

    // Whether the required edges, made chordal, keep to the other constraints. Else there is no network.
    bool feasible() const { return feasible_; }

    // The best forest around the required edges.
    void start(int threads, const Control& control);
    // The given edges and the required ones, made chordal. False, and no change, if the constraints do not let that be.
    bool start_from(const EdgeList& edges);

    // The next neighbourhoods to solve. There may be none although the search has not ended.
    std::vector<NeighbourhoodTask> propose();
    // What solving those of the last wave that could be improved gave.
    void accept(const std::vector<NeighbourhoodChange>& changes);
    // Nothing to gain was found for long. Proposing may go on all the same.
    bool ended() const { return ended_; }

    double best_score() const { return best_score_; }  // by adding up gains
    double exact_best_score() const { return feasible_ ? exact_score(best_graph_) : kNoScore; }
    EdgeList best_edges() const;

    WideState state() const;
    void restore(const WideState& state);

private:
    struct Region {
        std::vector<int> variables, nodes;
        std::vector<std::vector<int>> separators;
    };

    bool is_allowed(const WideGraph& graph) const;
    double exact_score(const WideGraph& graph) const;
    void begin(WideGraph graph);
    Region grow(const JunctionForest& forest, const std::vector<std::vector<int>>& joined,
                const std::vector<bool>& taken, int seed);
    NeighbourhoodTask task_of(const Region& region) const;

    const CodedTable& table_;
    const ScoreOptions& score_;
    WideOptions options_;
    std::vector<std::vector<int>> required_, forbidden_;
    bool feasible_ = true;

    WideGraph graph_, best_graph_;
    double score_now_ = kNoScore, best_score_ = kNoScore;
    Random random_;
    int most_, failures_ = 0, proposed_ = 0, cliques_ = 0;
    bool ended_ = false;
    std::unordered_set<std::uint64_t> solved_;
};

}  // namespace chordlearn
