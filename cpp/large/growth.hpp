#pragma once

#include <cstdint>
#include <vector>

#include "common/random.hpp"
#include "large/wide_graph.hpp"

namespace chordlearn {

// A connected part of a junction tree: its variables and nodes, and the separators towards the rest.
struct Region {
    std::vector<int> variables, nodes;  // the variables in increasing order
    std::vector<std::vector<int>> separators;

    // The edges that must stay when the graph on the region is replaced.
    EdgeList kept_edges() const;
};

std::uint64_t hash_of(const std::vector<int>& variables);

// A junction tree in which regions can be grown. Parts of the graph that do not touch are joined at random.
class GrowingTree {
public:
    GrowingTree(const WideGraph& graph, Random& random);

    int size() const { return static_cast<int>(forest_.nodes.size()); }
    const std::vector<int>& clique(int node) const { return forest_.nodes[node].clique; }

    // Nodes around the first, at random, until no more fit into so many variables. Nodes that are taken are left out.
    Region grow(int first, int most, const std::vector<bool>& taken, Random& random) const;

private:
    JunctionForest forest_;
    std::vector<std::vector<int>> joined_;
};

}  // namespace chordlearn
