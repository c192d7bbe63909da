#include "engine/pruned.hpp"

#include <algorithm>
#include <cmath>

#include "common/parallel.hpp"

namespace chordlearn {

namespace {

constexpr std::uint32_t kNone = ~std::uint32_t{0};

// A part that hangs below C as one subtree and is better so than split.
struct Piece {
    Set hung;
    double value;
    std::uint32_t next;  // in the list of pieces with the same lowest variable
};

// All states of one C: G(C,U) and H(C,U) by U.
struct Below {
    Set set = 0;
    std::vector<Set> hung;             // by size, then by value
    std::vector<double> any, subtree;  // G and H
    std::vector<std::uint32_t> slots;  // open addressing: place in `hung`, or kNone
    std::vector<std::uint32_t> layer;  // layer[s]: first U of size s
    std::vector<Piece> pieces;
    std::vector<std::uint32_t> first_piece;  // by lowest variable
    std::vector<std::uint32_t> piece_count;

    std::uint32_t find(Set u) const {
        const std::size_t mask = slots.size() - 1;
        for (std::size_t k = spread(u) & mask;; k = (k + 1) & mask) {
            const std::uint32_t place = slots[k];
            if (place == kNone || hung[place] == u) return place;
        }
    }
    double any_of(Set u) const {
        if (u == 0) return 0;
        const std::uint32_t place = find(u);
        return place == kNone ? kMinusInfinity : any[place];
    }
    double subtree_of(Set u) const {
        const std::uint32_t place = find(u);
        return place == kNone ? kMinusInfinity : subtree[place];
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

private:
    static std::size_t spread(Set u) { return (u * std::uint64_t{0x9e3779b97f4a7c15}) >> 32; }
};

class Program {
public:
    Program(const Relaxation& relaxation, States states, int threads, Control& control)
        : relaxation_(relaxation), instance_(relaxation.instance()), v_(instance_.v), root_(states.root),
          threads_(threads), control_(control), place_(std::size_t{1} << instance_.n, kNone) {
        below_.resize(states.cliques.size());
        parallel_for(below_.size(), threads, [&](std::size_t k) { prepare(states.cliques[k], below_[k]); });
        for (std::uint32_t k = 0; k < below_.size(); ++k) place_[below_[k].set] = k;
    }

    Network run() {
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
        Network best;
        const Set root = single(root_), others = instance_.all() & ~root;
        const Below* start = find(root);
        const double value = others == 0 ? 0 : start ? start->any_of(others) : kMinusInfinity;
        if (value == kMinusInfinity) return best;
        best.graph.assign(instance_.n, 0);
        trace_any(root, others, best.graph);
        best.score = graph_score(best.graph, v_);
        return best;
    }

private:
    const Below* find(Set set) const {
        return place_[set] == kNone ? nullptr : &below_[place_[set]];
    }

    void prepare(States::Clique& clique, Below& b) const {
        b.set = clique.set;
        b.hung = std::move(clique.hung);
        std::sort(b.hung.begin(), b.hung.end(),
                  [](Set x, Set y) { return size(x) != size(y) ? size(x) < size(y) : x < y; });
        b.layer.assign(instance_.n + 1, 0);
        for (Set u : b.hung) ++b.layer[size(u) + 1];
        for (int s = 1; s <= instance_.n; ++s) b.layer[s] += b.layer[s - 1];
        b.any.assign(b.hung.size(), kMinusInfinity);
        b.subtree.assign(b.hung.size(), kMinusInfinity);
        b.first_piece.assign(instance_.n, kNone);
        b.piece_count.assign(instance_.n, 0);
        b.index();
    }

    void work(Below& b, int layer) {
        control_.check();
        const std::uint32_t end = b.layer[layer + 1];
        for (std::uint32_t k = b.layer[layer]; k < end; ++k) {
            const Set u = b.hung[k];
            const double subtree = best_subtree(b.set, u);
            const double split = best_split(b, u);
            const double any = std::max(subtree, split);
            if (any == kMinusInfinity || hopeless(b.set, u, any)) continue;
            b.any[k] = any;
            b.subtree[k] = subtree;
            if (subtree > split) {
                const int low = lowest(u);
                b.pieces.push_back({u, subtree, b.first_piece[low]});
                b.first_piece[low] = static_cast<std::uint32_t>(b.pieces.size() - 1);
                ++b.piece_count[low];
            }
        }
        control_.done.fetch_add(end - b.layer[layer], std::memory_order_relaxed);
    }

    // With the exact value inside, the bound of what is outside may exclude the state after all.
    bool hopeless(Set c, Set u, double value) const {
        const Set w = instance_.all() & ~c & ~u;
        const Steps* forward = relaxation_.forward();
        const Steps* backward = relaxation_.backward();
        const int outside = std::max({0, forward[c | w] - forward[c], backward[c] - backward[c | w]});
        const double most = v_[c] + value + relaxation_.best_sum(w) - outside * relaxation_.step();
        return most + relaxation_.slack() < relaxation_.lower();
    }

    // Calls f(C', value) for each C' that is C with one variable dropped or one of u added.
    template <class F>
    void visit_subtrees(Set c, Set u, F&& f) const {
        for_each(c, [&](int i) {
            const Set smaller = c & ~single(i);
            if (const Below* b = find(smaller)) f(smaller, b->subtree_of(u));
        });
        const double base = v_[c];
        for_each(u, [&](int i) {
            const Set larger = c | single(i), rest = u & ~single(i);
            if (!relaxation_.keeps(larger)) return;
            const Below* b = find(larger);
            const double value = rest == 0 ? 0 : b ? b->any_of(rest) : kMinusInfinity;
            f(larger, v_[larger] - base + value);
        });
    }

    double best_subtree(Set c, Set u) const {
        double best = kMinusInfinity;
        visit_subtrees(c, u, [&](Set, double value) { best = std::max(best, value); });
        return best;
    }

    double best_split(const Below& b, Set u) const {
        double best = kMinusInfinity;
        visit_splits(b, u, [&](Set, double one, double others) { best = std::max(best, one + others); });
        return best;
    }

    // Calls f(part, H(C,part), G(C,rest)) for the parts that hold the lowest variable of u.
    template <class F>
    void visit_splits(const Below& b, Set u, F&& f) const {
        const int low = lowest(u);
        const Set more = u & ~single(low);
        if (size(more) < 20 && (std::uint32_t{1} << size(more)) < b.piece_count[low]) {
            for (Set sub = (more - 1) & more;; sub = (sub - 1) & more) {
                const Set part = sub | single(low);
                const double one = b.subtree_of(part);
                if (part != u && one != kMinusInfinity) f(part, one, b.any_of(u & ~part));
                if (sub == 0) break;
            }
            return;
        }
        for (std::uint32_t k = b.first_piece[low]; k != kNone; k = b.pieces[k].next) {
            const Piece& piece = b.pieces[k];
            if ((piece.hung & ~u) == 0 && piece.hung != u) f(piece.hung, piece.value, b.any_of(u & ~piece.hung));
        }
    }

    void trace_any(Set c, Set u, Graph& graph) const {
        while (u) {
            const Below& b = *find(c);
            Set part = u;
            double best = b.subtree_of(u);
            visit_splits(b, u, [&](Set one, double x, double y) {
                if (x + y > best) best = x + y, part = one;
            });
            trace_subtree(c, part, graph);
            u &= ~part;
        }
    }

    void trace_subtree(Set c, Set u, Graph& graph) const {
        double best = kMinusInfinity;
        Set next = 0;
        visit_subtrees(c, u, [&](Set set, double value) {
            if (value > best) best = value, next = set;
        });
        if (size(next) < size(c)) return trace_subtree(next, u, graph);
        const Set added = next & ~c;
        graph[lowest(added)] |= c;
        for_each(c, [&](int j) { graph[j] |= added; });
        trace_any(next, u & ~added, graph);
    }

    const Relaxation& relaxation_;
    const Instance& instance_;
    const double* v_;
    int root_, threads_;
    Control& control_;
    std::vector<Below> below_;          // by size of the set
    std::vector<std::uint32_t> place_;  // of a set in below_
};

}  // namespace

Network solve_states(const Relaxation& relaxation, States states, int threads, Control& control) {
    return Program(relaxation, std::move(states), threads, control).run();
}

std::uint64_t bytes_for_states(std::uint64_t states) { return states * 48; }

}  // namespace chordlearn
