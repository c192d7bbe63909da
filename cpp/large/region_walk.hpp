#pragma once

#include <cstdint>
#include <vector>

#include "common/control.hpp"
#include "common/random.hpp"
#include "large/region_scorer.hpp"

namespace chordlearn {

struct Annealing {
    std::uint64_t moves = 0;
    double hot = 1, cold = 1;  // temperatures
};

// A chordal graph on a region's variables that changes by single edges, and by variables that let go of one neighbour
// to take another.
class RegionWalk {
public:
    using Graph = std::vector<Mask>;

    struct Rules {
        Graph required, forbidden;
        int max_clique = 0;  // 0: any
    };

    RegionWalk(RegionScorer& scorer, Graph graph, Rules rules);

    // Simulated annealing. Afterwards graph() is the best one met, and gain() what it is better by than the first.
    void anneal(const Annealing& schedule, Random& random, const Control& control);

    const Graph& graph() const { return graph_; }
    double gain() const { return gain_; }

private:
    bool toggle_edge(double temperature, Random& random);
    bool exchange_neighbour(double temperature, Random& random);
    int propose_partner(int a, Random& random) const;
    bool may_add(Mask common, int a, int b) const;
    bool may_remove(Mask common, int a, int b) const;
    bool is_complete(Mask set) const;
    bool separates(Mask set, int a, int b) const;

    RegionScorer& scorer_;
    int n_;
    Graph graph_;
    Rules rules_;
    double gain_ = 0;
};

}  // namespace chordlearn
