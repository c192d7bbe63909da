#include "bounding/rounding.hpp"

#include <algorithm>
#include <bit>
#include <cstdint>
#include <optional>

namespace chordlearn {

namespace {

constexpr double kLeastGain = 1e-9;

// A chordal graph that changes edge by edge and stays chordal.
class ChordalGraph {
public:
    ChordalGraph(const PricedSets& sets, const Control& control)
        : sets_(sets),
          control_(control),
          words_((static_cast<std::size_t>(sets.index().n()) + 63) / 64),
          adjacent_(static_cast<std::size_t>(sets.index().n()), std::vector<std::uint64_t>(words_, 0)) {}

    bool has(int a, int b) const { return adjacent_[static_cast<std::size_t>(a)][word(b)] & bit(b); }

    void flip(int a, int b) {
        adjacent_[static_cast<std::size_t>(a)][word(b)] ^= bit(b);
        adjacent_[static_cast<std::size_t>(b)][word(a)] ^= bit(a);
    }

    // What the score gains if the edge comes, or goes; nothing if the graph would not be chordal, or not allowed.
    std::optional<double> gain(int a, int b) {
        control_.check();
        SmallSet common;
        if (!find_common(a, b, common)) return std::nullopt;
        if (has(a, b)) {
            if (!is_complete(common)) return std::nullopt;
            return -weight_of_edge(a, b, common);
        }
        if (sets_.is_excluded(sets_.index().number(with_edge(a, b, common))) || !is_separated(a, b, common))
            return std::nullopt;
        return weight_of_edge(a, b, common);
    }

private:
    static std::size_t word(int i) { return static_cast<std::size_t>(i) / 64; }
    static std::uint64_t bit(int i) { return std::uint64_t{1} << (i % 64); }

    static SmallSet with_edge(int a, int b, const SmallSet& common) {
        SmallSet pair;
        pair.push(std::min(a, b));
        pair.push(std::max(a, b));
        return pair.joined(common);
    }

    // The common neighbours, unless there are more than may be complete with the edge.
    bool find_common(int a, int b, SmallSet& common) const {
        for (std::size_t w = 0; w < words_; ++w) {
            std::uint64_t left = adjacent_[static_cast<std::size_t>(a)][w] & adjacent_[static_cast<std::size_t>(b)][w];
            for (; left; left &= left - 1) {
                if (common.size + 2 == sets_.index().largest()) return false;
                common.push(static_cast<int>(64 * w) + std::countr_zero(left));
            }
        }
        return sets_.index().largest() > 1;
    }

    bool is_complete(const SmallSet& set) const {
        for (int i = 0; i < set.size; ++i)
            for (int j = 0; j < i; ++j)
                if (!has(set.at[static_cast<std::size_t>(i)], set.at[static_cast<std::size_t>(j)])) return false;
        return true;
    }

    // Whether every way from a to b goes through the set.
    bool is_separated(int a, int b, const SmallSet& set) {
        reached_.assign(words_, 0);
        reached_[word(a)] |= bit(a);
        for (const int i : set) reached_[word(i)] |= bit(i);
        open_ = {a};
        while (!open_.empty()) {
            const auto& next = adjacent_[static_cast<std::size_t>(open_.back())];
            open_.pop_back();
            for (std::size_t w = 0; w < words_; ++w) {
                std::uint64_t fresh = next[w] & ~reached_[w];
                reached_[w] |= fresh;
                for (; fresh; fresh &= fresh - 1) open_.push_back(static_cast<int>(64 * w) + std::countr_zero(fresh));
            }
            if (reached_[word(b)] & bit(b)) return false;
        }
        return true;
    }

    // The weights of all sets of the edge and common neighbours.
    double weight_of_edge(int a, int b, const SmallSet& common) const {
        double sum = 0;
        for (unsigned part = 0; part < 1u << common.size; ++part) {
            SmallSet chosen;
            for (int i = 0; i < common.size; ++i)
                if (part >> i & 1) chosen.push(common.at[static_cast<std::size_t>(i)]);
            sum += sets_.weight(sets_.index().number(with_edge(a, b, chosen)));
        }
        return sum;
    }

    const PricedSets& sets_;
    const Control& control_;
    std::size_t words_;
    std::vector<std::vector<std::uint64_t>> adjacent_;
    std::vector<std::uint64_t> reached_;
    std::vector<int> open_;
};

class Climb {
public:
    Climb(ChordalGraph& graph, const VertexPairs& pairs, std::size_t kept, int n)
        : graph_(graph), pairs_(pairs), kept_(kept), around_(static_cast<std::size_t>(n)) {
        for (std::size_t k = 0; k < pairs.size(); ++k)
            for (const int end : {pairs[k].first, pairs[k].second}) around_[static_cast<std::size_t>(end)].push_back(k);
    }

    void run() {
        for (bool better = true; better;) {
            better = false;
            for (std::size_t k = kept_; k < pairs_.size(); ++k) better |= flip_if_better(k, 0);
            for (std::size_t k = kept_; k < pairs_.size(); ++k) better |= exchange(k);
        }
    }

private:
    bool flip_if_better(std::size_t k, double lost) {
        const auto [a, b] = pairs_[k];
        const auto gain = graph_.gain(a, b);
        if (!gain || *gain - lost <= kLeastGain) return false;
        graph_.flip(a, b);
        return true;
    }

    // Takes an edge for another one at one of its ends.
    bool exchange(std::size_t k) {
        const auto [a, b] = pairs_[k];
        if (!graph_.has(a, b)) return false;
        const auto gain = graph_.gain(a, b);
        if (!gain) return false;
        graph_.flip(a, b);
        for (const int end : {a, b})
            for (const std::size_t other : around_[static_cast<std::size_t>(end)])
                if (other != k && !graph_.has(pairs_[other].first, pairs_[other].second) &&
                    flip_if_better(other, -*gain))
                    return true;
        graph_.flip(a, b);
        return false;
    }

    ChordalGraph& graph_;
    const VertexPairs& pairs_;
    std::size_t kept_;
    std::vector<std::vector<std::size_t>> around_;  // pairs by their ends
};

}  // namespace

VertexPairs network_near(const Point& point, const PricedSets& sets, const VertexPairs& required,
                         const Control& control) {
    std::vector<std::pair<double, std::size_t>> dearest;
    for (std::size_t k = 0; k < point.sets.size(); ++k)
        if (point.sets[k].size == 2) dearest.emplace_back(-point.values[k], k);
    std::sort(dearest.begin(), dearest.end());
    VertexPairs pairs = required;
    for (const auto& [value, k] : dearest) {
        const std::pair<int, int> pair(point.sets[k].at[0], point.sets[k].at[1]);
        if (std::find(required.begin(), required.end(), pair) == required.end()) pairs.push_back(pair);
    }
    ChordalGraph graph(sets, control);
    for (const auto& [a, b] : pairs)
        if (!graph.has(a, b) && graph.gain(a, b)) graph.flip(a, b);
    Climb(graph, pairs, required.size(), sets.index().n()).run();
    VertexPairs edges;
    for (const auto& [a, b] : pairs)
        if (graph.has(a, b)) edges.emplace_back(a, b);
    return edges;
}

}  // namespace chordlearn
