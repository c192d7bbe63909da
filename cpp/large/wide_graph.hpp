#pragma once

#include <cstdint>
#include <vector>

namespace chordlearn {

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
