#pragma once

#include <cstdint>
#include <utility>
#include <vector>

namespace chordlearn {

using EdgeList = std::vector<std::pair<int, int>>;

// A chordal graph with any number of variables: the neighbours of each, in increasing order.
class WideGraph {
public:
    explicit WideGraph(int n) : neighbours_(n) {}

    int size() const { return static_cast<int>(neighbours_.size()); }
    const std::vector<int>& neighbours(int i) const { return neighbours_[i]; }
    bool adjacent(int i, int j) const;
    void connect(int i, int j);
    void disconnect(int i, int j);
    std::size_t edges() const;

private:
    std::vector<std::vector<int>> neighbours_;
};

// Throws std::invalid_argument for an edge that leaves the n variables.
WideGraph graph_of(int n, const EdgeList& edges);
EdgeList edges_of(const WideGraph& graph);

// Puts other edges on the variables in place of all that are among them.
void replace_among(WideGraph& graph, const std::vector<int>& variables, const EdgeList& edges);

// The graph with edges added along a minimum-degree order until it is chordal.
WideGraph chordal_completion(WideGraph graph);

bool is_chordal(const WideGraph& graph);

// The maximal cliques of a chordal graph and a tree of them. A clique without a parent begins a connected part.
struct JunctionForest {
    struct Node {
        std::vector<int> clique, separator;  // in increasing order; the separator towards the parent
        int parent = -1;
    };
    std::vector<Node> nodes;
};

// By maximum cardinality search; ties are broken by the lower number.
JunctionForest junction_forest(const WideGraph& graph);

}  // namespace chordlearn
