#pragma once

#include <atomic>
#include <cstdint>
#include <limits>
#include <optional>
#include <unordered_set>
#include <vector>

#include "common/control.hpp"
#include "common/random.hpp"
#include "large/growth.hpp"
#include "large/pair_scores.hpp"
#include "large/region_search.hpp"
#include "large/wide_graph.hpp"
#include "scoring/score_function.hpp"

namespace chordlearn {

inline constexpr double kNoScore = -std::numeric_limits<double>::infinity();

struct WideOptions {
    int max_clique = 0;  // 0: any
    EdgeList required, forbidden;
    std::uint64_t seed = 0;
};

// All that the search goes by between two waves.
struct WideState {
    EdgeList edges;
    double score = kNoScore;
    double typical_gain = 1;
    std::uint64_t random = 0;
    int part_size = 0;  // variables of the parts that are solved exactly; 0 while annealing
    int failures = 0, level = 0;
    bool ended = false;
    std::vector<std::uint64_t> solved;  // hashes of parts that have nothing to gain
};

// For tables with too many variables to score all sets of them. Starts from the best forest. Then in turn
// - parts: the best graph is put on some ten variables of a connected part of the junction tree, here and there, while
//   the separators towards the rest stay complete, until parts have nothing to gain;
// - annealing: up to 128 variables at a time are heated and cooled, longer and longer while that finds nothing.
// The regions of a wave can be solved anywhere and in any order; the search depends on the seed alone.
class WideSearch {
public:
    WideSearch(const CodedTable& table, const ScoreOptions& score, WideOptions options);

    // Whether the required edges, made chordal, keep to the other constraints. Else there is no network.
    bool feasible() const { return feasible_; }

    // The best forest around the required edges.
    void start(int threads, const Control& control);
    // The given edges and the required ones, made chordal. False, and no change, if the constraints do not let that be.
    bool start_from(const EdgeList& edges);

    // The next regions to improve. There may be none although the search has not ended.
    std::vector<RegionTask> propose();
    // What improving those of the last wave gave, in the same order. Of regions that overlap the one that gains most
    // is taken.
    void accept(const std::vector<std::optional<RegionChange>>& changes);
    // Nothing to gain was found for long. Proposing may go on all the same.
    bool ended() const { return ended_; }

    double score() const { return score_; }  // by adding up gains; may be asked for while a wave is taken in
    double exact_score() const;
    EdgeList edges() const { return edges_of(graph_); }

    WideState state() const;
    void restore(const WideState& state);

private:
    bool is_allowed(const WideGraph& graph) const;
    double exact_score(const WideGraph& graph) const;
    void begin(WideGraph graph);
    bool forest_only() const;
    void propose_parts(const GrowingTree& tree);
    void propose_annealing(const GrowingTree& tree);
    RegionTask task_of(const Region& region) const;
    void note_success();
    void note_failure();

    const CodedTable& table_;
    ScoreOptions options_of_score_;
    WideOptions options_;
    std::vector<std::vector<int>> required_, forbidden_;
    bool feasible_ = true;

    WideGraph graph_;
    std::atomic<double> score_ = kNoScore;
    double typical_gain_ = 1;  // of an edge of the best forest
    Random random_;
    int part_size_, failures_ = 0, level_ = 0;
    bool ended_ = false;
    std::unordered_set<std::uint64_t> solved_;

    // The last wave.
    std::vector<Region> regions_;
    std::vector<RegionTask> tasks_;
    int cliques_ = 0;
};

}  // namespace chordlearn
