#include "posterior/kept_sums.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "common/parallel.hpp"

namespace chordlearn {

namespace {

constexpr std::int32_t kZero = -(1 << 28);  // the exponent of what is 0
constexpr double kUnit = 0x1p-53;

double power_of_two(std::int32_t d) { return d < -1022 ? 0.0 : std::ldexp(1.0, d); }

Scaled product(Scaled a, Scaled b) { return {a.value * b.value, a.exponent + b.exponent}; }
Scaled quotient(Scaled a, Scaled b) { return {a.value / b.value, a.exponent - b.exponent}; }

void add(Scaled& sum, Scaled term) {
    if (term.value == 0) return;
    if (sum.value == 0) {
        sum = term;
        return;
    }
    const std::int32_t shift = term.exponent - sum.exponent;
    if (shift > 0)
        sum = {sum.value * power_of_two(-shift) + term.value, term.exponent};
    else
        sum.value += term.value * power_of_two(shift);
    if (sum.value > 0x1p200) sum = {sum.value * 0x1p-200, sum.exponent + 200};
}

double ratio(Scaled a, Scaled b) {
    return a.value == 0 ? 0 : a.value / b.value * std::ldexp(1.0, a.exponent - b.exponent);
}

Set index_of(Set subset, Set set) {
    Set index = 0;
    int k = 0;
    for_each(set, [&](int i) { index |= (subset >> i & 1) << k++; });
    return index;
}
Set set_of(Set index, Set set) {
    Set subset = 0;
    for_each(set, [&](int i) {
        subset |= (index & 1) << i;
        index >>= 1;
    });
    return subset;
}

// Chooses one of several in proportion to their weights, which come one after the other.
class Choice {
public:
    explicit Choice(Random& random) : random_(random) {}
    bool takes(Scaled weight) {
        if (!(weight.value > 0)) return false;
        add(sum_, weight);
        return random_.unit() <= ratio(weight, sum_);
    }

private:
    Random& random_;
    Scaled sum_;
};

void connect(Graph& graph, int i, Set others) {
    graph[i] |= others;
    for_each(others, [&](int j) { graph[j] |= single(i); });
}

}  // namespace

KeptSums::KeptSums(const Instance& instance, const States& states, int threads, Control& control)
    : instance_(instance) {
    const int n = instance.n;
    for (int i = 0; i < n; ++i) offset_ += instance.v[single(i)];
    double largest = 0;
    for (const States::Clique& clique : states.cliques) {
        row_of_.emplace(clique.set, static_cast<std::uint32_t>(rows_.size()));
        Row& row = rows_.emplace_back();
        row.set = clique.set;
        row.hung = clique.hung;
        long double score = instance.v[clique.set];
        for_each(clique.set, [&](int i) { score -= instance.v[single(i)]; });
        const long double binary = score / std::log(2.0L), whole = std::floor(binary);
        row.weight = {static_cast<double>(std::exp2(binary - whole)), static_cast<std::int32_t>(whole)};
        largest = std::max(largest, static_cast<double>(std::abs(score)) + std::abs(instance.v[clique.set]));
    }
    // A set that is complete may have nothing hung below it that is kept, where it is everything.
    if (const Set everything = below(n); instance.allowed(everything) && !row_of_.contains(everything)) {
        row_of_.emplace(everything, static_cast<std::uint32_t>(rows_.size()));
        Row& row = rows_.emplace_back();
        row.set = everything;
        long double score = instance.v[everything] - static_cast<long double>(offset_);
        const long double binary = score / std::log(2.0L), whole = std::floor(binary);
        row.weight = {static_cast<double>(std::exp2(binary - whole)), static_cast<std::int32_t>(whole)};
    }
    parallel_for(rows_.size(), threads, [&](std::size_t k) {
        Row& row = rows_[k];
        const std::size_t count = row.hung.size(), subsets = std::size_t{1} << size(row.set);
        row.place.reserve(count);
        row.level_begin.assign(n + 2, static_cast<std::uint32_t>(count));
        for (std::size_t p = count; p-- > 0;) {
            row.place.emplace(row.hung[p], static_cast<std::uint32_t>(p));
            row.level_begin[size(row.hung[p])] = static_cast<std::uint32_t>(p);
        }
        for (int level = n; level >= 0; --level)
            row.level_begin[level] = std::min(row.level_begin[level], row.level_begin[level + 1]);
        for (std::size_t p = 0; p < count; ++p)
            row.by_lowest[lowest(row.hung[p])].push_back(static_cast<std::uint32_t>(p));
        row.touching.assign(count, {0, kZero});
        row.parts.assign(count * subsets, 0);
        row.others.assign(count * subsets, 0);
        row.separate.assign(count * subsets, 0);
        row.part_exponents.assign(count, kZero);
        row.exponents.assign(count, kZero);
        control.check();
    });
    for (std::uint32_t k = 0; k < rows_.size(); ++k) {
        const Set set = rows_[k].set;
        for (Set s = (set - 1) & set; set; s = (s - 1) & set) {
            if (const auto found = row_of_.find(s); found != row_of_.end()) rows_[found->second].larger.push_back(k);
            if (!s) break;
        }
    }
    // Of single variables, below which nothing hangs.
    for (Row& row : rows_)
        for (const std::uint32_t larger : row.larger)
            if (const auto at = row.place.find(rows_[larger].set & ~row.set);
                at != row.place.end() && size(rows_[larger].set) == size(row.set) + 1)
                row.touching[at->second] = quotient(rows_[larger].weight, row.weight);
    std::size_t longest = rows_.size();
    for (int level = 1; level <= n; ++level) {
        parallel_for(rows_.size(), threads, [&](std::size_t k) {
            Row& row = rows_[k];
            for (std::uint32_t p = row.level_begin[level]; p < row.level_begin[level + 1]; ++p) {
                control.check();
                gather(row, p);
                split(row, p);
                ++control.done;
            }
        });
        parallel_for(rows_.size(), threads, [&](std::size_t k) {
            Row& row = rows_[k];
            for (const std::uint32_t larger : row.larger) hand_on(rows_[larger], level, row);
            control.check();
        });
    }
    for (const Row& row : rows_)
        for (const auto& places : row.by_lowest) longest = std::max(longest, places.size());
    // Each graph is a product of at most 4 n factors, each in a sum of so many terms at most.
    const double of_set = 2 * kUnit + (n + 4) * largest * std::numeric_limits<long double>::epsilon();
    rounding_ = 4.0 * n * (static_cast<double>(longest) + 8) * kUnit + 2.0 * n * of_set;
}

const KeptSums::Row* KeptSums::row(Set d) const {
    const auto found = row_of_.find(d);
    return found == row_of_.end() ? nullptr : &rows_[found->second];
}

// K and J of one hung set.
void KeptSums::gather(Row& row, std::uint32_t place) {
    const Set y = row.hung[place], subsets = Set{1} << size(row.set);
    std::vector<Scaled> touched(subsets);
    std::int32_t unit = kZero;
    for (Set index = 0; index < subsets; ++index) {
        touched[index] = touching(set_of(index, row.set), y);
        if (touched[index].value > 0) unit = std::max(unit, touched[index].exponent + std::ilogb(touched[index].value));
    }
    row.part_exponents[place] = unit;
    if (unit == kZero) return;
    std::vector<double> f(subsets);
    for (Set index = 0; index < subsets; ++index)
        f[index] = touched[index].value * power_of_two(touched[index].exponent - unit);
    double* parts = &row.parts[place * static_cast<std::size_t>(subsets)];
    double* others = &row.others[place * static_cast<std::size_t>(subsets)];
    const Set whole = subsets - 1;
    for (Set d = whole;; d = (d - 1) & whole) {
        parts[whole] += f[d];
        if (!d) break;
    }
    // From S with one element more: those that have it and are otherwise within S.
    for (Set s = whole; s-- > 0;) {
        const Set missing = ~s & whole, t = missing & -missing;
        double more = 0;
        for (Set d = s;; d = (d - 1) & s) {
            more += f[d | t];
            if (!d) break;
        }
        parts[s] = (s | t) == whole ? more : parts[s | t] + more;
        for (Set d = s; d; d = (d - 1) & s) others[s] += f[((d - 1) & s) | missing];
    }
}

template <class Take>
void KeptSums::for_each_split(const Row& row, Set w, Take&& take) const {
    const auto& places = row.by_lowest[lowest(w)];
    const Set pivot = w & -w, others = w ^ pivot;
    if (size(others) < 20 && (std::size_t{1} << size(others)) < places.size()) {
        for (Set more = others;; more = (more - 1) & others) {
            if (const auto at = row.place.find(more | pivot); at != row.place.end()) take(at->second, others & ~more);
            if (!more) break;
        }
        return;
    }
    for (const std::uint32_t y : places) {
        if (size(row.hung[y]) > size(w)) break;
        if ((row.hung[y] & ~w) == 0) take(y, w & ~row.hung[y]);
    }
}

// What D with sets of one size below it gives to F(S,·).
void KeptSums::hand_on(const Row& row, int level, Row& to) const {
    const Set t = row.set & ~to.set;
    const Scaled factor = quotient(row.weight, to.weight);
    for (std::uint32_t p = row.level_begin[level]; p < row.level_begin[level + 1]; ++p) {
        const auto at = to.place.find(row.hung[p] | t);
        if (at != to.place.end()) add(to.touching[at->second], product(factor, below_seen(row, to.set, row.hung[p])));
    }
}

// F(S,Z ∪ T) φ(S) / φ(D) as far as it comes from D = S ∪ T.
Scaled KeptSums::below_seen(const Row& row, Set s, Set z) const {
    const Set t = row.set & ~s;
    if (!z || lowest(t) < lowest(z)) return t & (t - 1) ? Scaled{} : separate(row, s, z);
    Scaled sum;
    const std::size_t index = index_of(s, row.set);
    for_each_split(row, z, [&](std::uint32_t y, Set rest) {
        const double other = row.others[(static_cast<std::size_t>(y) << size(row.set)) + index];
        if (other > 0) add(sum, product({other, row.part_exponents[y]}, separate(row, s, rest)));
    });
    return sum;
}

// P and G of one hung set.
void KeptSums::split(Row& row, std::uint32_t place) {
    const std::size_t subsets = std::size_t{1} << size(row.set);
    std::vector<double> sums(subsets, 0);
    std::int32_t unit = kZero;
    for_each_split(row, row.hung[place], [&](std::uint32_t y, Set rest) {
        if (row.part_exponents[y] == kZero) return;
        const double* parts = &row.parts[y * subsets];
        const double* left = nullptr;
        std::int32_t exponent = row.part_exponents[y];
        if (rest) {
            const auto at = row.place.find(rest);
            if (at == row.place.end() || row.exponents[at->second] == kZero) return;
            left = &row.separate[at->second * subsets];
            exponent += row.exponents[at->second];
        }
        double factor = power_of_two(exponent - unit);
        if (exponent > unit) {
            const double down = power_of_two(unit - exponent);
            for (double& sum : sums) sum *= down;
            unit = exponent;
            factor = 1;
        }
        for (std::size_t s = 0; s < subsets; ++s) sums[s] += parts[s] * (left ? left[s] : 1.0) * factor;
    });
    const double largest = sums.back();
    if (!(largest > 0)) return;
    const int up = std::ilogb(largest);
    for (std::size_t s = 0; s < subsets; ++s) row.separate[place * subsets + s] = std::ldexp(sums[s], -up);
    row.exponents[place] = unit + up;
}

Scaled KeptSums::separate(const Row& row, Set s, Set w) const {
    if (!w) return {1, 0};
    const auto at = row.place.find(w);
    if (at == row.place.end()) return {};
    return {row.separate[(static_cast<std::size_t>(at->second) << size(row.set)) + index_of(s, row.set)],
            row.exponents[at->second]};
}

Scaled KeptSums::part(const Row& row, Set s, Set y) const {
    const auto at = row.place.find(y);
    if (at == row.place.end()) return {};
    return {row.parts[(static_cast<std::size_t>(at->second) << size(row.set)) + index_of(s, row.set)],
            row.part_exponents[at->second]};
}

Scaled KeptSums::all(Set d, Set w) const {
    const Row* found = row(d);
    return found ? separate(*found, d, w) : Scaled{};
}

Scaled KeptSums::touching(Set s, Set x) const {
    const Row* found = row(s);
    if (!found) return {};
    const auto at = found->place.find(x);
    return at == found->place.end() ? Scaled{} : found->touching[at->second];
}

double KeptSums::share(Set set) const {
    const Row* found = row(set);
    if (!found) return 0;
    return ratio(product(found->weight, all(set, below(instance_.n) & ~set)), all(0, below(instance_.n)));
}

Graph KeptSums::draw(std::uint64_t seed, std::uint64_t number) const {
    Random random(Random(Random(seed).bits() + number).bits());
    Graph graph(instance_.n, 0);
    draw_separate(*row(0), 0, below(instance_.n), graph, random);
    return graph;
}

// Of P(S;D,W), or of G(D,W) where S is D.
void KeptSums::draw_separate(const Row& own, Set s, Set w, Graph& graph, Random& random) const {
    const bool free = s == own.set;
    while (w) {
        Choice splitting(random);
        Set y = 0;
        for_each_split(own, w, [&](std::uint32_t at, Set rest) {
            if (splitting.takes(product(part(own, s, own.hung[at]), separate(own, s, rest)))) y = own.hung[at];
        });
        Choice touching_to(random);
        Set to = 0;
        for (Set some = own.set;; some = (some - 1) & own.set) {
            if ((free || (some & ~s)) && touching_to.takes(touching(some, y))) to = some;
            if (!some) break;
        }
        draw_touching(*row(to), y, graph, random);
        w &= ~y;
    }
}

void KeptSums::draw_touching(const Row& own, Set x, Graph& graph, Random& random) const {
    const Set s = own.set;
    Choice seen(random);
    const Row* chosen = nullptr;
    for (const std::uint32_t larger : own.larger) {
        const Row& row = rows_[larger];
        const Set t = row.set & ~s, z = x & ~t;
        if ((t & ~x) || !(z == 0 || row.place.contains(z))) continue;
        if (seen.takes(product(quotient(row.weight, own.weight), below_seen(row, s, z)))) chosen = &row;
    }
    const Set t = chosen->set & ~s;
    Set z = x & ~t;
    for_each(t, [&](int i) { connect(graph, i, chosen->set & ~single(i)); });
    if (z && lowest(z) < lowest(t)) {
        const std::size_t index = index_of(s, chosen->set);
        Choice splitting(random);
        Set y = 0;
        for_each_split(*chosen, z, [&](std::uint32_t at, Set rest) {
            const double other = chosen->others[(static_cast<std::size_t>(at) << size(chosen->set)) + index];
            if (splitting.takes(product({other, chosen->part_exponents[at]}, separate(*chosen, s, rest))))
                y = chosen->hung[at];
        });
        Choice touching_to(random);
        Set to = 0;
        for (Set some = (s - 1) & s;; some = (some - 1) & s) {
            if (touching_to.takes(touching(some | t, y))) to = some | t;
            if (!some) break;
        }
        draw_touching(*row(to), y, graph, random);
        z &= ~y;
    }
    draw_separate(*chosen, s, z, graph, random);
}

}  // namespace chordlearn
