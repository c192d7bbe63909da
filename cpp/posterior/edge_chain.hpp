#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <unordered_map>
#include <vector>

#include "common/control.hpp"
#include "common/random.hpp"
#include "large/wide_graph.hpp"

namespace chordlearn {

// A Markov chain over chordal graphs whose stationary law is w / Σ w. It has two kinds of moves, neither of which looks
// at the graph to choose where.
//
// Most pick one of all pairs and toggle its edge if the graph stays chordal: an edge may go if the common neighbours of
// its ends are complete, so that it is in one clique only, and may come if they separate its ends. That changes the
// score by that of four sets, and is done with probability min(1, exp(gain)).
//
// Now and then the graph on a block of a few variables is drawn anew from all chordal graphs on them. That is possible
// if every component of the other variables touches a complete set of the block; these sets stay complete, so that the
// components keep their weight, and the way back is as likely.
class EdgeChain {
public:
    // The score of a set, given in increasing order; −∞ if it may not be complete.
    using Score = std::function<double(const std::vector<int>&)>;

    struct Rules {
        int max_clique = 0;  // 0: any
        EdgeList required, forbidden;
    };

    // The graph to start from must be chordal and keep to the rules.
    EdgeChain(Score score, const Rules& rules, const WideGraph& start, std::uint64_t seed);

    // For so many moves: the share of them after which each pair (a < b, in the order of b, then a) was an edge.
    std::vector<double> run(std::uint64_t moves, const Control& control);

    // Weights are taken to the power of 1/heat, which must be 1 for the stationary law to be theirs.
    void set_heat(double heat) { heat_ = heat; }
    // The largest gain of joining two variables that have no other neighbours.
    double steepest() const;

    EdgeList edges() const;
    std::uint64_t toggles() const { return toggles_; }  // that were done
    std::uint64_t blocks() const { return blocks_; }    // that were drawn anew

private:
    using Words = std::vector<std::uint64_t>;
    struct Hash {
        std::size_t operator()(const Words& set) const;
    };

    bool has(const Words& set, int i) const { return (set[i >> 6] >> (i & 63) & 1) != 0; }
    bool toggle(int a, int b);
    bool toggle_keeps_chordal(int a, int b, bool present);
    std::vector<int> choose_block();
    bool redraw(const std::vector<int>& block);
    void flip(int a, int b);
    double gain_of_adding(int a, int b);
    double score(const Words& set);

    Score score_;
    int n_, max_clique_;
    double heat_ = 1;
    std::size_t words_;
    std::vector<Words> neighbours_;
    EdgeList required_, forbidden_;
    std::vector<std::uint8_t> fixed_;  // by pair: a required or forbidden edge
    std::vector<std::pair<int, int>> pairs_;
    std::vector<double> affinity_;                // by pair: how much the two have to do with each other
    std::vector<std::uint64_t> since_, present_;  // by pair: the last change, moves as an edge before it
    std::uint64_t moves_ = 0;                     // of this run
    std::unordered_map<Words, double, Hash> known_;
    Words common_, reached_, frontier_, set_;
    Random random_;
    std::uint64_t toggles_ = 0, blocks_ = 0;
};

}  // namespace chordlearn
