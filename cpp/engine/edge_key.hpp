#pragma once

#include <array>
#include <bit>
#include <compare>
#include <cstdint>
#include <utility>

#include "engine/chordal.hpp"

namespace chordlearn {

// The edges of a graph as one number: a bit for each pair of vertices (0,1), (0,2), …, (1,2), …, the first pair in
// the highest place. Of two graphs with equally many edges, the sorted list of edges comes first for the larger key.
class EdgeKey {
public:
    void add(int a, int b) {
        const int pair = number(a, b);
        words_[pair / 64] |= bit(pair);
    }
    bool holds(int a, int b) const {
        const int pair = number(a, b);
        return words_[pair / 64] & bit(pair);
    }
    int count() const {
        int edges = 0;
        for (std::uint64_t word : words_) edges += std::popcount(word);
        return edges;
    }
    EdgeKey& operator|=(const EdgeKey& other) {
        for (std::size_t w = 0; w < words_.size(); ++w) words_[w] |= other.words_[w];
        return *this;
    }
    auto operator<=>(const EdgeKey&) const = default;

    Graph graph(int n) const {
        Graph graph(n, 0);
        for (int b = 1; b < n; ++b)
            for (int a = 0; a < b; ++a)
                if (holds(a, b)) graph[a] |= single(b), graph[b] |= single(a);
        return graph;
    }

private:
    static constexpr int kVertices = 30;  // at most
    static constexpr int kPairs = kVertices * (kVertices - 1) / 2;

    static std::uint64_t bit(int pair) { return std::uint64_t{1} << (63 - pair % 64); }
    static int number(int a, int b) {
        if (a > b) std::swap(a, b);
        return a * (2 * kVertices - a - 1) / 2 + b - a - 1;
    }

    std::array<std::uint64_t, (kPairs + 63) / 64> words_{};
};

}  // namespace chordlearn
