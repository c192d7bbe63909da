#include "large/growth.hpp"

#include <algorithm>
#include <unordered_set>

namespace chordlearn {

EdgeList Region::kept_edges() const {
    EdgeList edges;
    for (const auto& separator : separators)
        for (std::size_t i = 0; i < separator.size(); ++i)
            for (std::size_t j = i + 1; j < separator.size(); ++j) edges.emplace_back(separator[i], separator[j]);
    std::sort(edges.begin(), edges.end());
    edges.erase(std::unique(edges.begin(), edges.end()), edges.end());
    return edges;
}

std::uint64_t hash_of(const std::vector<int>& variables) {
    std::uint64_t hash = 0x51ed270b;
    for (int v : variables) hash = Random(hash ^ static_cast<std::uint64_t>(v)).bits();
    return hash;
}

GrowingTree::GrowingTree(const WideGraph& graph, Random& random) : forest_(junction_forest(graph)), joined_(size()) {
    for (int k = 1; k < size(); ++k) {
        int parent = forest_.nodes[k].parent;
        if (parent < 0) parent = static_cast<int>(random.below(static_cast<std::uint32_t>(k)));
        joined_[k].push_back(parent);
        joined_[parent].push_back(k);
    }
}

Region GrowingTree::grow(int first, int most, const std::vector<bool>& taken, Random& random) const {
    Region region;
    std::vector<int> frontier{first};
    std::unordered_set<int> inside;
    while (!frontier.empty()) {
        const std::size_t pick = random.below(static_cast<std::uint32_t>(frontier.size()));
        const int node = frontier[pick];
        frontier[pick] = frontier.back();
        frontier.pop_back();
        const auto& clique = forest_.nodes[node].clique;
        std::vector<int> together;
        std::set_union(region.variables.begin(), region.variables.end(), clique.begin(), clique.end(),
                       std::back_inserter(together));
        if (static_cast<int>(together.size()) > most) continue;
        region.variables = std::move(together);
        inside.insert(node);
        region.nodes.push_back(node);
        for (int next : joined_[node])
            if (!taken[next] && !inside.contains(next)) frontier.push_back(next);
    }
    for (int node : region.nodes) {
        const auto& own = forest_.nodes[node];
        if (own.parent >= 0 && !inside.contains(own.parent)) region.separators.push_back(own.separator);
        for (int next : joined_[node])
            if (forest_.nodes[next].parent == node && !inside.contains(next))
                region.separators.push_back(forest_.nodes[next].separator);
    }
    return region;
}

}  // namespace chordlearn
