#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "common/bits.hpp"
#include "common/control.hpp"
#include "engine/instance.hpp"

namespace chordlearn {

// A number that is not negative, as large or small as it may be: value · 2^exponent.
struct Scaled {
    double value = 0;
    std::int32_t exponent = 0;

    double log() const;  // natural; −∞ for 0
};

// A probability and by how much it may be off.
struct Probability {
    double value = 0, error = 0;
};

// Sums of the weights of all chordal graphs, each counted once. A graph weighs Π φ(cliques) / Π φ(separators) with
// φ(A) = exp(v(A)). For a complete set C and a set U of other variables
//
//   G(C,U)  sums w / φ(C) over the graphs on C ∪ U in which C is complete,
//   F(C,U)  over those of them in which U is connected and every variable of C is adjacent to something in U,
//   H(C,U)  over those in which U is connected: Σ F(S,U) over S ⊆ C.
//
// C separates the components of such a graph without C, so their weights multiply. With u the lowest of U
//
//   G(C,U) = Σ H(C,X) G(C,U∖X)                                   over X ⊆ U with u ∈ X
//   L(C,U) = Σ (−1)^(|T|+1) φ(C∪T)/φ(C) G(C∪T,U∖T)               over T ⊆ U, T ≠ ∅
//   F(C,U) = L(C,U) − Σ F(C,X) G(C,U∖X)                          over X ⊂ U, X ≠ ∅, X ≠ U
//
// The variables of a component that see all of C form a connected chordal graph. The alternating sum over its complete
// sets is 1, so L counts each graph as often as it has components that touch all of C, and the last line is left with
// those that have no other component. A required edge must not join two parts that are kept separate.
//
// Beside every sum stands a bound of its error: what the errors of its parts may do to it together, and what its own
// rounding may add. The signs of L and of the last line let these bounds grow from level to level, a billionfold for
// 14 variables, while the errors themselves cancel. Therefore a sum is a double and 22 bits more.
class NetworkSums {
public:
    static constexpr int kMostVariables = 20;  // 3^20 still has 32 bits
    static double bytes_needed(int n, int threads);

    // Control.done counts up to work(n).
    NetworkSums(const Instance& instance, int threads, Control& control);
    static double work(int n);

    int n() const { return n_; }
    // The logarithm of the sum over all graphs, and by how much it may be off; −∞ if there is none.
    Probability log_total() const;
    Probability complete(Set set) const;
    // That the set is complete and separates a from b.
    Probability separated_by_complete(int a, int b, Set set) const;

    Scaled all(Set c, Set u) const;       // G
    Scaled touching(Set c, Set u) const;  // F
    Scaled hanging(Set c, Set u) const;   // H
    Scaled weight(Set set) const;         // φ, of scores less those of single variables
    bool allowed(Set set) const { return weights_[set] != 0; }
    bool crosses(Set x, Set y) const { return !required_.empty() && (required_[x] & y) != 0; }

    // In units of 2^exponent; the largest of them and of their errors is from 1 to 2.
    struct State {
        double f, h, g;
        std::int32_t f_rest, h_rest, g_rest;  // what the doubles leave out, and the errors
        std::int32_t exponent;
    };

private:
    struct Scratch;

    const State& state(Set c, Set u) const { return states_[ternary_[c] + 2 * ternary_[u]]; }
    State& state(Set c, Set u) { return states_[ternary_[c] + 2 * ternary_[u]]; }
    void weigh(const Instance& instance);
    void count_components(Set w, int level, Scratch& scratch);
    void subtract_splits(Set c, int level);
    void hang(Set u, Scratch& scratch);

    Probability stated(double share, double error) const;

    int n_;
    double offset_ = 0;                   // Σ v({i})
    double weight_error_ = 0;             // relative, of a graph's weight
    double error_ = 0;                    // relative, of the sum over all graphs
    std::vector<std::uint32_t> ternary_;  // Σ 3^i
    std::vector<double> weights_;         // φ = weight · 2^exponent
    std::vector<std::int32_t> exponents_;
    std::vector<Set> required_;  // of each set, what is required to be adjacent to some of it; empty if nothing is
    std::unique_ptr<State[]> states_;
};

}  // namespace chordlearn
