#pragma once

#include <cstdint>
#include <unordered_map>
#include <vector>

#include "common/control.hpp"
#include "common/random.hpp"
#include "engine/chordal.hpp"
#include "engine/states.hpp"
#include "posterior/network_sums.hpp"

namespace chordlearn {

// Sums of the weights of the chordal graphs all of whose states were kept, each counted once. Nothing is subtracted, so
// that any states may be left out: what is left out is missing from the sums, and rounding is a few units of each term.
// In a state (C,U) the set C is complete and U is some of the components of the graph without C.
//
//   F(S,X)    sums w / φ(S) over the graphs on S ∪ X in which X is connected and touches exactly S,
//   P(S;D,W)  over those of D ∪ W, w / φ(D), in which D ⊃ S is complete and every component of W touches D∖S,
//   G(D,W)    the same with any components.
//
// Let u be the lowest of X, and M the variables of X that see all of S. Either u is one of them; or the component Y of
// u without M touches S₁ ∪ T with S₁ ⊂ S and T ⊆ M complete, T ≠ ∅, and all other components without S ∪ T touch T:
//
//   F(S,X)   = φ(S∪u)/φ(S) P(S;S∪u,X∖u) + Σ φ(S∪T)/φ(S) J(S;S∪T,Y) P(S;S∪T,X∖T∖Y)    over T and Y ∋ u
//   P(S;D,W) = Σ K(S;D,Y) P(S;D,W∖Y)                                                  over Y with the lowest of W
//   K(S;D,Y) = Σ F(D',Y) over D' ⊆ D, D' ⊄ S          J(S;D,Y) = Σ F(S₁∪(D∖S),Y) over S₁ ⊂ S
class KeptSums {
public:
    KeptSums(const Instance& instance, const States& states, int threads, Control& control);

    Scaled all(Set d, Set w) const;       // G
    Scaled touching(Set s, Set x) const;  // F
    double log_total() const { return all(0, below(instance_.n)).log() + offset_; }
    // A relative bound of what rounding may have done to a sum; the states left out are another matter.
    double rounding() const { return rounding_; }
    double share(Set set) const;  // of the sum, that the set is complete

    Graph draw(std::uint64_t seed, std::uint64_t number) const;

private:
    // All for one complete set D. The subsets of D are numbered by the places of their elements in D.
    struct Row {
        Set set = 0;
        Scaled weight;
        std::vector<std::uint32_t> larger;  // the rows of its supersets
        std::vector<Set> hung;
        std::unordered_map<Set, std::uint32_t> place;
        std::vector<std::uint32_t> by_lowest[32];
        std::vector<std::uint32_t> level_begin;  // where the hung of each size begin
        std::vector<Scaled> touching;            // F(D,·)
        // By place, then by subset S, in units of 2^exponent; for S = D without any demand, which is G.
        std::vector<double> parts, separate, others;  // K, P, J
        std::vector<std::int32_t> part_exponents, exponents;
    };

    void gather(Row& row, std::uint32_t place);
    void split(Row& row, std::uint32_t place);
    void hand_on(const Row& row, int level, Row& to) const;
    Scaled below_seen(const Row& row, Set s, Set z) const;
    template <class Take>
    void for_each_split(const Row& row, Set w, Take&& take) const;

    const Row* row(Set d) const;
    Scaled separate(const Row& row, Set s, Set w) const;  // P
    Scaled part(const Row& row, Set s, Set y) const;      // K
    void draw_separate(const Row& own, Set s, Set w, Graph& graph, Random& random) const;
    void draw_touching(const Row& own, Set x, Graph& graph, Random& random) const;

    Instance instance_;
    double offset_ = 0, rounding_ = 0;
    std::vector<Row> rows_;
    std::unordered_map<Set, std::uint32_t> row_of_;
};

}  // namespace chordlearn
