#include "posterior/network_draws.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

namespace chordlearn {

namespace {

constexpr std::int32_t kUnknown = std::numeric_limits<std::int32_t>::min();
constexpr std::size_t kMostEntries = std::size_t{1} << 25;  // of all rows: half a gigabyte
constexpr double kCertain = 1 - 1e-12;
constexpr int kMostAttempts = 1 << 24;

Scaled product(Scaled a, Scaled b) { return {a.value * b.value, a.exponent + b.exponent}; }

void add(Scaled& sum, Scaled term) {
    if (term.value == 0) return;
    if (sum.value == 0) {
        sum = term;
        return;
    }
    const int shift = term.exponent - sum.exponent;
    if (shift > 0)
        sum = {std::ldexp(sum.value, -shift) + term.value, term.exponent};
    else
        sum.value += std::ldexp(term.value, shift);
}

double ratio(Scaled a, Scaled b) { return a.value == 0 ? 0 : std::ldexp(a.value / b.value, a.exponent - b.exponent); }

void connect(Graph& graph, int i, Set others) {
    graph[i] |= others;
    for_each(others, [&](int j) { graph[j] |= single(i); });
}

// The elements of a set, whose places are given in increasing order, as bits of an index; and back.
Set index_of(Set set, const std::vector<int>& elements) {
    Set index = 0;
    for (std::size_t k = 0; k < elements.size(); ++k) index |= (set >> elements[k] & 1) << k;
    return index;
}
Set set_of(Set index, const std::vector<int>& elements) {
    Set set = 0;
    for_each(index, [&](int k) { set |= single(elements[k]); });
    return set;
}

// Goes through choices with their weights until so much of the total has been passed.
class Choice {
public:
    Choice(Scaled total, Random& random) : total_(total), left_(random.unit()) {}
    bool takes(Scaled weight) {
        if (weight.value == 0) return false;
        left_ -= ratio(weight, total_);
        return left_ <= 0;
    }

private:
    Scaled total_;
    double left_;
};

}  // namespace

Graph NetworkDraws::draw(std::uint64_t seed, std::uint64_t number, const Control& control) {
    random_ = Random(Random(Random(seed).bits() + number).bits());
    control_ = &control;
    // Between draws nobody holds a row.
    if (entries_ > kMostEntries) {
        rows_.clear();
        entries_ = 0;
    }
    Graph graph(sums_.n(), 0);
    draw_all(0, below(sums_.n()), graph);
    return graph;
}

void NetworkDraws::draw_all(Set c, Set u, Graph& graph) {
    while (u) {
        const Set pivot = u & -u, rest = u ^ pivot;
        Choice choice(sums_.all(c, u), random_);
        Set chosen = 0;
        for (Set more = rest;; more = (more - 1) & rest) {
            const Set x = more | pivot;
            const Scaled weight = product(sums_.hanging(c, x), sums_.all(c, u & ~x));
            if (!sums_.crosses(x, u & ~x) && weight.value > 0) {
                chosen = x;
                if (choice.takes(weight)) break;
            }
            if (!more) break;
        }
        draw_part(c, chosen, graph);
        u &= ~chosen;
    }
}

// X as one component of the graph without C.
void NetworkDraws::draw_part(Set c, Set x, Graph& graph) {
    Choice choice(sums_.hanging(c, x), random_);
    Set chosen = 0;
    for (Set s = c;; s = (s - 1) & c) {
        if (!sums_.crosses(x, c & ~s) && sums_.allowed(s) && sums_.touching(s, x).value > 0) {
            chosen = s;
            if (choice.takes(sums_.touching(s, x))) break;
        }
        if (!s) break;
    }
    draw_touching(chosen, x, graph);
}

void NetworkDraws::draw_touching(Set s, Set x, Graph& graph) {
    if (size(x) == 1) {
        connect(graph, lowest(x), s);
        return;
    }
    if (!s) {
        draw_around(s, lowest(x), x, graph);
        return;
    }
    std::vector<int> elements;
    std::vector<Scaled> weights;
    for_each(x, [&](int t) {
        elements.push_back(t);
        weights.push_back(around(s, t, x));
    });
    const Scaled total = sums_.touching(s, x);
    std::size_t best = 0;
    for (std::size_t k = 1; k < weights.size(); ++k)
        if (ratio(weights[k], total) > ratio(weights[best], total)) best = k;
    const double share = ratio(weights[best], total);
    if (share >= kCertain || random_.unit() <= share) {
        draw_around(s, elements[best], x, graph);
        return;
    }
    Scaled others;
    for (std::size_t k = 0; k < weights.size(); ++k)
        if (k != best) add(others, weights[k]);
    if (others.value == 0) {
        draw_around(s, elements[best], x, graph);
        return;
    }
    for (int attempt = 0; attempt < kMostAttempts; ++attempt) {
        control_->check();
        Choice choice(others, random_);
        std::size_t chosen = best;
        for (std::size_t k = 0; k < weights.size(); ++k) {
            if (k == best || weights[k].value == 0) continue;
            chosen = k;
            if (choice.takes(weights[k])) break;
        }
        Graph trial = graph;
        draw_around(s, elements[chosen], x, trial);
        if ((trial[elements[best]] & s) == s) continue;
        const auto seeing = std::count_if(elements.begin(), elements.end(), [&](int t) { return (trial[t] & s) == s; });
        if (random_.unit() * static_cast<double>(seeing) > 1) continue;
        graph = std::move(trial);
        return;
    }
    // The share that is left is nothing but rounding.
    draw_around(s, elements[best], x, graph);
}

// X with t seeing all of S, and every component of the others touching t.
void NetworkDraws::draw_around(Set s, int t, Set x, Graph& graph) {
    connect(graph, t, s);
    if (x == single(t)) return;
    Row& own = row(s, t);
    Set left = index_of(x & ~single(t), own.elements);
    while (left) {
        const Set pivot = left & -left, rest = left ^ pivot;
        Choice choice(hung(own, s, t, left), random_);
        Set chosen = 0;
        for (Set more = rest;; more = (more - 1) & rest) {
            const Set y = more | pivot;
            const Scaled weight = product(part(own, s, t, y), hung(own, s, t, left & ~y));
            if (weight.value > 0 && !sums_.crosses(set_of(y, own.elements), set_of(left & ~y, own.elements))) {
                chosen = y;
                if (choice.takes(weight)) break;
            }
            if (!more) break;
        }
        const Set y = set_of(chosen, own.elements);
        Choice touched(part(own, s, t, chosen), random_);
        Set to = 0;
        for (Set some = s;; some = (some - 1) & s) {
            const Set separator = some | single(t);
            if (!sums_.crosses(y, s & ~some) && sums_.touching(separator, y).value > 0) {
                to = separator;
                if (touched.takes(sums_.touching(separator, y))) break;
            }
            if (!some) break;
        }
        left &= ~chosen;
        draw_touching(to, y, graph);
    }
}

NetworkDraws::Row& NetworkDraws::row(Set s, int t) {
    const auto found = rows_.find({s, t});
    if (found != rows_.end()) return found->second;
    Row& made = rows_[{s, t}];
    for_each(below(sums_.n()) & ~s & ~single(t), [&](int i) { made.elements.push_back(i); });
    const std::size_t entries = std::size_t{1} << made.elements.size();
    made.hung.assign(entries, {0, kUnknown});
    made.parts.assign(entries, {0, kUnknown});
    made.hung[0] = {1, 0};
    entries_ += 2 * entries;
    return made;
}

Scaled NetworkDraws::part(Row& row, Set s, int t, Set index) {
    Scaled& known = row.parts[index];
    if (known.exponent != kUnknown) return known;
    const Set y = set_of(index, row.elements);
    Scaled sum;
    for (Set some = s;; some = (some - 1) & s) {
        if (!sums_.crosses(y, s & ~some) && sums_.allowed(some | single(t)))
            add(sum, sums_.touching(some | single(t), y));
        if (!some) break;
    }
    return known = sum;
}

const Scaled& NetworkDraws::hung(Row& row, Set s, int t, Set index) {
    if (row.hung[index].exponent != kUnknown) return row.hung[index];
    // All that it takes, in increasing order.
    for (Set w = index & -index;; w = (w - index) & index) {
        Scaled& known = row.hung[w];
        if (known.exponent == kUnknown) {
            if ((w & 0xfff) == 0) control_->check();
            const Set pivot = w & -w, rest = w ^ pivot;
            Scaled sum;
            for (Set more = rest;; more = (more - 1) & rest) {
                const Set y = more | pivot;
                const Scaled own = part(row, s, t, y), others = row.hung[w & ~y];
                if (own.value > 0 && others.value > 0 &&
                    !sums_.crosses(set_of(y, row.elements), set_of(w & ~y, row.elements)))
                    add(sum, product(own, others));
                if (!more) break;
            }
            known = sum;
        }
        if (w == index) return known;
    }
}

// A(t).
Scaled NetworkDraws::around(Set s, int t, Set x) {
    if (!sums_.allowed(s | single(t))) return {};
    Row& own = row(s, t);
    const Scaled more = sums_.weight(s | single(t)), less = sums_.weight(s);
    const Scaled factor{more.value / less.value, more.exponent - less.exponent};
    return product(factor, hung(own, s, t, index_of(x & ~single(t), own.elements)));
}

}  // namespace chordlearn
