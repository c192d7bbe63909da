#include "large/wide_graph.hpp"

#include <algorithm>
#include <set>
#include <stdexcept>

namespace chordlearn {

namespace {

void insert(std::vector<int>& sorted, int value) {
    const auto place = std::lower_bound(sorted.begin(), sorted.end(), value);
    if (place == sorted.end() || *place != value) sorted.insert(place, value);
}

void erase(std::vector<int>& sorted, int value) {
    const auto place = std::lower_bound(sorted.begin(), sorted.end(), value);
    if (place != sorted.end() && *place == value) sorted.erase(place);
}

}  // namespace

bool WideGraph::adjacent(int i, int j) const {
    return std::binary_search(neighbours_[i].begin(), neighbours_[i].end(), j);
}

void WideGraph::connect(int i, int j) {
    insert(neighbours_[i], j);
    insert(neighbours_[j], i);
}

void WideGraph::disconnect(int i, int j) {
    erase(neighbours_[i], j);
    erase(neighbours_[j], i);
}

std::size_t WideGraph::edges() const {
    std::size_t ends = 0;
    for (const auto& list : neighbours_) ends += list.size();
    return ends / 2;
}

WideGraph graph_of(int n, const EdgeList& edges) {
    WideGraph graph(n);
    for (const auto& [a, b] : edges) {
        if (a < 0 || b < 0 || a >= n || b >= n || a == b) throw std::invalid_argument("an edge has no such variables");
        graph.connect(a, b);
    }
    return graph;
}

EdgeList edges_of(const WideGraph& graph) {
    EdgeList edges;
    for (int i = 0; i < graph.size(); ++i)
        for (int j : graph.neighbours(i))
            if (i < j) edges.emplace_back(i, j);
    return edges;
}

void replace_among(WideGraph& graph, const std::vector<int>& variables, const EdgeList& edges) {
    for (std::size_t i = 0; i < variables.size(); ++i)
        for (std::size_t j = 0; j < i; ++j) graph.disconnect(variables[i], variables[j]);
    for (const auto& [a, b] : edges) graph.connect(a, b);
}

WideGraph chordal_completion(WideGraph graph) {
    WideGraph left = graph;
    std::set<std::pair<int, int>> queue;  // (degree, vertex)
    const auto degree = [&](int i) { return static_cast<int>(left.neighbours(i).size()); };
    for (int i = 0; i < left.size(); ++i) queue.emplace(degree(i), i);
    while (!queue.empty()) {
        const int vertex = queue.begin()->second;
        queue.erase(queue.begin());
        const std::vector<int> around = left.neighbours(vertex);
        for (int i : around) queue.erase({degree(i), i});
        for (int i : around) {
            left.disconnect(vertex, i);
            for (int j : around)
                if (i < j) {
                    left.connect(i, j);
                    graph.connect(i, j);
                }
        }
        for (int i : around) queue.emplace(degree(i), i);
    }
    return graph;
}

bool is_chordal(const WideGraph& graph) {
    const int n = graph.size();
    std::vector<int> weight(n, 0), order(n, -1);
    std::set<std::pair<int, int>> queue;  // (−weight, vertex)
    for (int i = 0; i < n; ++i) queue.emplace(0, i);
    for (int step = 0; step < n; ++step) {
        const int vertex = queue.begin()->second;
        queue.erase(queue.begin());
        order[vertex] = step;
        int latest = -1;
        for (int other : graph.neighbours(vertex)) {
            if (order[other] >= 0) {
                if (latest < 0 || order[other] > order[latest]) latest = other;
            } else {
                queue.erase({-weight[other], other});
                queue.emplace(-++weight[other], other);
            }
        }
        for (int other : graph.neighbours(vertex))
            if (order[other] >= 0 && other != latest && !graph.adjacent(other, latest)) return false;
    }
    return true;
}

JunctionForest junction_forest(const WideGraph& graph) {
    const int n = graph.size();
    JunctionForest forest;
    std::vector<int> weight(n, 0), order(n, -1), clique_of(n, -1);
    std::set<std::pair<int, int>> queue;  // (−weight, vertex)
    for (int i = 0; i < n; ++i) queue.emplace(0, i);
    int last_weight = -1;
    for (int step = 0; step < n; ++step) {
        const int vertex = queue.begin()->second;
        queue.erase(queue.begin());
        // The clique goes on as long as each new vertex sees all of it.
        if (step == 0 || weight[vertex] <= last_weight) {
            JunctionForest::Node node;
            int latest = -1;
            for (int other : graph.neighbours(vertex))
                if (order[other] >= 0) {
                    node.separator.push_back(other);
                    if (latest < 0 || order[other] > order[latest]) latest = other;
                }
            node.clique = node.separator;
            node.parent = latest < 0 ? -1 : clique_of[latest];
            forest.nodes.push_back(std::move(node));
        }
        last_weight = weight[vertex];
        insert(forest.nodes.back().clique, vertex);
        clique_of[vertex] = static_cast<int>(forest.nodes.size()) - 1;
        order[vertex] = step;
        for (int other : graph.neighbours(vertex))
            if (order[other] < 0) {
                queue.erase({-weight[other], other});
                queue.emplace(-++weight[other], other);
            }
    }
    return forest;
}

}  // namespace chordlearn
