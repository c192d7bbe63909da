#pragma once

#include <cstdint>
#include <map>
#include <utility>
#include <vector>

#include "common/random.hpp"
#include "engine/chordal.hpp"
#include "posterior/network_sums.hpp"

namespace chordlearn {

// Draws chordal graphs, each with probability w / Σ w.
//
// A graph of G(C,U) falls into components, drawn one by one with the part of C that each touches. What F(S,X) sums over
// is drawn by a variable t that sees all of S: with t added to S, every component of the others must touch t. So
//
//   A(t) = φ(S∪t)/φ(S) P(S,t; X∖t),   P(S,t; W) = Σ K(Y) P(S,t; W∖Y) over Y ⊆ W with the lowest of W,
//   K(Y) = Σ F(S'∪t,Y) over S' ⊆ S
//
// sums over the graphs in which t sees all of S. For the t of largest A such a graph is drawn with probability
// A(t) / F(S,X). Otherwise t must not see all of S: with another one chosen in proportion to A, a graph comes up as
// often as variables see all of S, m times, and is kept with probability 1/m.
class NetworkDraws {
public:
    explicit NetworkDraws(const NetworkSums& sums) : sums_(sums) {}

    // Depends on the seed and the number alone.
    Graph draw(std::uint64_t seed, std::uint64_t number, const Control& control);

private:
    struct Row {
        std::vector<int> elements;        // the variables outside S and t; bits of an index stand for them
        std::vector<Scaled> hung, parts;  // P and K by index; an exponent of kUnknown where it was not yet asked for
    };

    void draw_all(Set c, Set u, Graph& graph);
    void draw_touching(Set s, Set x, Graph& graph);
    void draw_around(Set s, int t, Set x, Graph& graph);
    void draw_part(Set s, Set x, Graph& graph);
    Row& row(Set s, int t);
    Scaled part(Row& row, Set s, int t, Set index);
    Scaled around(Set s, int t, Set x);
    const Scaled& hung(Row& row, Set s, int t, Set index);

    const NetworkSums& sums_;
    std::map<std::pair<Set, int>, Row> rows_;
    std::size_t entries_ = 0;
    Random random_{0};
    const Control* control_ = nullptr;
};

}  // namespace chordlearn
