#pragma once

#include <algorithm>
#include <span>
#include <utility>
#include <vector>

#include "common/parallel.hpp"
#include "engine/states.hpp"

namespace chordlearn {

// The drop/add/split program over listed states. What a state is worth is left to the Algebra: a number, or a
// list of the best networks. It names a type Value and has
//   nothing()                   the value of what cannot be,
//   is_nothing(value), most(value)
//   start()                     the value of hanging nothing,
//   improve(into, value)        the better of both,
//   grown(value, gain, c, i)    i added to the complete set c, the rest as in value,
//   joined(value, value)        both, side by side,
//   without(value, other)       what of value is not in other too.
template <class Algebra>
class Program {
public:
    using Value = typename Algebra::Value;

    Program(const Relaxation& relaxation, const States& states, Algebra algebra, int threads, Control& control)
        : algebra_(std::move(algebra)),
          relaxation_(relaxation),
          instance_(relaxation.instance()),
          v_(instance_.v),
          root_(states.root),
          threads_(threads),
          control_(control),
          place_(std::size_t{1} << instance_.n, kNone) {
        below_.resize(states.cliques.size());
        parallel_for(below_.size(), threads, [&](std::size_t k) { prepare(states.cliques[k], below_[k]); });
        for (std::uint32_t k = 0; k < below_.size(); ++k) place_[below_[k].set] = k;
    }

    // The value of the whole: everything hung below the root.
    Value run() {
        for (int layer = 1; layer < instance_.n; ++layer)
            for (std::size_t start = 0, end; start < below_.size(); start = end) {
                // C of one size do not depend on each other within a layer.
                end = start;
                while (end < below_.size() && size(below_[end].set) == size(below_[start].set)) ++end;
                const std::size_t grain = 1 + (end - start) / (16 * static_cast<std::size_t>(threads_));
                const std::size_t tasks = (end - start + grain - 1) / grain;
                parallel_for(tasks, threads_, [&](std::size_t task) {
                    const std::size_t from = start + task * grain, to = std::min(end, from + grain);
                    for (std::size_t k = from; k < to; ++k) work(below_[k], layer);
                });
            }
        return any_of(root(), others());
    }

    Set root() const { return single(root_); }
    Set others() const { return instance_.all() & ~root(); }

    // Calls f(C', value) for each C' that is C with one variable dropped or one of u added.
    template <class F>
    void visit_subtrees(Set c, Set u, F&& f) const {
        for_each(c, [&](int i) {
            const Set smaller = c & ~single(i);
            if (const Below* b = find(smaller)) f(smaller, b->subtree_of(u, algebra_));
        });
        const double base = v_[c];
        for_each(u, [&](int i) {
            const Set larger = c | single(i), rest = u & ~single(i);
            if (!relaxation_.keeps(larger)) return;
            const Value& value = any_of(larger, rest);
            if (!Algebra::is_nothing(value)) f(larger, algebra_.grown(value, v_[larger] - base, c, i));
        });
    }

    // Calls f(part, H(C,part), G(C,rest)) for the parts that hold the lowest variable of u.
    template <class F>
    void visit_splits(Set c, Set u, F&& f) const {
        const Below& b = *find(c);
        const int low = lowest(u);
        for (std::uint32_t k = b.first_piece[low]; k != kNone; k = b.pieces[k].next) {
            const Piece& piece = b.pieces[k];
            if ((piece.hung & ~u) == 0 && piece.hung != u)
                f(piece.hung, piece.value, b.any_of(u & ~piece.hung, algebra_));
        }
    }

    const Value& subtree_of(Set c, Set u) const { return find(c)->subtree_of(u, algebra_); }

private:
    static constexpr std::uint32_t kNone = ~std::uint32_t{0};

    // A part that hangs below C as one subtree, where that is better than to split it.
    struct Piece {
        Set hung;
        Value value;
        std::uint32_t next;  // in the list of pieces with the same lowest variable
    };

    // All states of one C: G(C,U) and H(C,U) by U.
    struct Below {
        Set set = 0;
        std::span<const Set> hung;         // of the states, which live longer: by size, then by value
        std::vector<Value> any, subtree;   // G and H
        std::vector<std::uint32_t> slots;  // open addressing: place in `hung`, or kNone
        std::vector<std::uint32_t> layer;  // layer[s]: first U of size s
        std::vector<Piece> pieces;
        std::vector<std::uint32_t> first_piece;  // by lowest variable

        std::uint32_t find(Set u) const {
            const std::size_t mask = slots.size() - 1;
            for (std::size_t k = spread(u) & mask;; k = (k + 1) & mask) {
                const std::uint32_t place = slots[k];
                if (place == kNone || hung[place] == u) return place;
            }
        }
        const Value& any_of(Set u, const Algebra& algebra) const {
            if (u == 0) return algebra.start();
            const std::uint32_t place = find(u);
            return place == kNone ? algebra.nothing() : any[place];
        }
        const Value& subtree_of(Set u, const Algebra& algebra) const {
            const std::uint32_t place = find(u);
            return place == kNone ? algebra.nothing() : subtree[place];
        }
        void index() {
            slots.assign(std::bit_ceil(hung.size() * 2 + 1), kNone);
            const std::size_t mask = slots.size() - 1;
            for (std::uint32_t place = 0; place < hung.size(); ++place) {
                std::size_t k = spread(hung[place]) & mask;
                while (slots[k] != kNone) k = (k + 1) & mask;
                slots[k] = place;
            }
        }
        static std::size_t spread(Set u) { return (u * std::uint64_t{0x9e3779b97f4a7c15}) >> 32; }
    };

    const Below* find(Set set) const { return place_[set] == kNone ? nullptr : &below_[place_[set]]; }

    const Value& any_of(Set c, Set u) const {
        if (u == 0) return algebra_.start();
        const Below* b = find(c);
        return b ? b->any_of(u, algebra_) : algebra_.nothing();
    }

    void prepare(const States::Clique& clique, Below& b) const {
        b.set = clique.set;
        b.hung = clique.hung;
        b.layer.assign(instance_.n + 1, 0);
        for (Set u : b.hung) ++b.layer[size(u) + 1];
        for (int s = 1; s <= instance_.n; ++s) b.layer[s] += b.layer[s - 1];
        b.any.assign(b.hung.size(), algebra_.nothing());
        b.subtree.assign(b.hung.size(), algebra_.nothing());
        b.first_piece.assign(instance_.n, kNone);
        b.index();
    }

    void work(Below& b, int layer) {
        control_.check();
        const std::uint32_t end = b.layer[layer + 1];
        for (std::uint32_t k = b.layer[layer]; k < end; ++k) {
            const Set u = b.hung[k];
            Value subtree = algebra_.nothing();
            visit_subtrees(b.set, u, [&](Set, const Value& value) { algebra_.improve(subtree, value); });
            Value split = algebra_.nothing();
            visit_splits(b.set, u, [&](Set, const Value& one, const Value& rest) {
                algebra_.improve(split, algebra_.joined(one, rest));
            });
            Value any = split;
            algebra_.improve(any, subtree);
            if (Algebra::is_nothing(any) || hopeless(b.set, u, Algebra::most(any))) continue;
            Value piece = algebra_.without(subtree, split);
            if (!Algebra::is_nothing(piece)) {
                const int low = lowest(u);
                b.pieces.push_back({u, std::move(piece), b.first_piece[low]});
                b.first_piece[low] = static_cast<std::uint32_t>(b.pieces.size() - 1);
            }
            b.any[k] = std::move(any);
            b.subtree[k] = std::move(subtree);
        }
        control_.done.fetch_add(end - b.layer[layer], std::memory_order_relaxed);
    }

    // With the exact value inside, the bound of what is outside may exclude the state after all. The network on C
    // and W alone scores v(C) and what W adds; with multipliers it is at most its changed total, whose part for C
    // holds whatever the edges within C earn.
    bool hopeless(Set c, Set u, double value) const {
        const Set w = instance_.all() & ~c & ~u;
        const double outside = relaxation_.best_sum(w) - relaxation_.hanging_loss(c, w) * relaxation_.step();
        const double most = relaxation_.first_score(c) + value + outside;
        return most + relaxation_.slack() < relaxation_.lower();
    }

    Algebra algebra_;
    const Relaxation& relaxation_;
    const Instance& instance_;
    const double* v_;
    int root_, threads_;
    Control& control_;
    std::vector<Below> below_;          // by size of the set
    std::vector<std::uint32_t> place_;  // of a set in below_
};

}  // namespace chordlearn
