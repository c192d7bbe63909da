#include "engine/search.hpp"

#include <algorithm>
#include <cmath>

#include "common/parallel.hpp"
#include "common/random.hpp"
#include "engine/neighbourhood.hpp"

namespace chordlearn {

namespace {

// Distinct networks in falling order of score, at most `capacity`.
class Elite {
public:
    explicit Elite(int capacity) : capacity_(capacity) {}

    bool wants(double score) const {
        return static_cast<int>(networks_.size()) < capacity_ || score > networks_.back().score;
    }
    void offer(double score, const Graph& graph) {
        if (!wants(score)) return;
        for (const Network& other : networks_)
            if (other.graph == graph) return;
        const auto place = std::upper_bound(networks_.begin(), networks_.end(), score,
                                            [](double s, const Network& other) { return s > other.score; });
        networks_.insert(place, Network{score, graph});
        if (static_cast<int>(networks_.size()) > capacity_) networks_.pop_back();
    }
    const std::vector<Network>& networks() const { return networks_; }

private:
    int capacity_;
    std::vector<Network> networks_;
};

// One chordal graph that changes by single edges.
class Walk {
public:
    Walk(const Instance& instance, Graph graph)
        : v_(instance.v), required_(instance.required), graph_(std::move(graph)) {}

    const Graph& graph() const { return graph_; }
    bool adjacent(int a, int b) const { return graph_[a] >> b & 1; }

    // What the score gains if the edge is toggled; −∞ when the constraints forbid it.
    double gain(int a, int b) const {
        const Set common = graph_[a] & graph_[b];
        const Set with = common | single(a) | single(b);
        if (v_[with] == kMinusInfinity) return kMinusInfinity;
        const double add = v_[with] + v_[common] - v_[common | single(a)] - v_[common | single(b)];
        if (!adjacent(a, b)) return add;
        return required_[a] >> b & 1 ? kMinusInfinity : -add;
    }

    // Whether the graph stays chordal when the edge is toggled.
    bool stays_chordal(int a, int b) const {
        const Set common = graph_[a] & graph_[b];
        if (adjacent(a, b)) {
            for (Set rest = common; rest; rest &= rest - 1)
                if (common & ~graph_[lowest(rest)] & ~(rest & -rest)) return false;
            return true;
        }
        Set reached = single(a), frontier = reached;
        while (frontier) {
            Set next = 0;
            for_each(frontier, [&](int i) { next |= graph_[i]; });
            if (next & single(b)) return false;
            frontier = next & ~reached & ~common;
            reached |= frontier;
        }
        return true;
    }

    void toggle(int a, int b) {
        graph_[a] ^= single(b);
        graph_[b] ^= single(a);
    }

private:
    const double* v_;
    const std::vector<Set>& required_;
    Graph graph_;
};

// A chordal graph with the required edges, filled in along a minimum-degree order.
Graph smallest_start(const Instance& instance) {
    Graph graph = instance.required, filled = graph;
    Set left = instance.all();
    while (left) {
        int best = -1;
        for_each(left, [&](int i) {
            if (best < 0 || size(graph[i] & left) < size(graph[best] & left)) best = i;
        });
        const Set neighbours = graph[best] & left;
        for_each(neighbours, [&](int i) {
            graph[i] |= neighbours & ~single(i);
            filled[i] |= neighbours & ~single(i);
        });
        left &= ~single(best);
    }
    return filled;
}

bool allowed(const Instance& instance, const Graph& graph) {
    for (Set clique : maximal_cliques(graph))
        if (!instance.allowed(clique)) return false;
    return true;
}

// The temperature at which a typical edge of the best tree comes and goes.
double typical_gain(const Instance& instance) {
    std::vector<double> gains;
    for (int i = 0; i < instance.n; ++i) {
        double best = 0;
        for (int j = 0; j < instance.n; ++j)
            if (j != i && instance.allowed(single(i) | single(j)))
                best = std::max(
                    best, std::abs(instance.v[single(i) | single(j)] - instance.v[single(i)] - instance.v[single(j)]));
        gains.push_back(best);
    }
    std::nth_element(gains.begin(), gains.begin() + gains.size() / 2, gains.end());
    return gains[gains.size() / 2];
}

void anneal(const Instance& instance, Walk& walk, double score, double hot, double cold, std::uint64_t moves,
            Random random, Elite& elite, const Control& control) {
    const int n = instance.n;
    const std::uint64_t step = 256;
    const double cooling = std::pow(cold / hot, static_cast<double>(step) / static_cast<double>(moves));
    double temperature = hot;
    for (std::uint64_t move = 0; move < moves; ++move) {
        if (move % step == 0) {
            if (control.stop.load(std::memory_order_relaxed)) return;
            temperature *= cooling;
        }
        const int a = static_cast<int>(random.below(n));
        int b = static_cast<int>(random.below(n - 1));
        b += b >= a;
        const double gain = walk.gain(a, b);
        if (gain < 0 && (gain == kMinusInfinity || gain < temperature * std::log(random.unit()))) continue;
        if (!walk.stays_chordal(a, b)) continue;
        walk.toggle(a, b);
        score += gain;
        if (elite.wants(score)) elite.offer(score, walk.graph());
    }
    // Downhill moves end here: take the best single edge until none helps by more than rounding may feign.
    const double noise = 1e-12 * (1 + std::abs(score));
    for (;;) {
        double best = 0;
        int x = 0, y = 0;
        for (int b = 1; b < n; ++b)
            for (int a = 0; a < b; ++a) {
                const double gain = walk.gain(a, b);
                if (gain > best && walk.stays_chordal(a, b)) best = gain, x = a, y = b;
            }
        if (!(best > noise)) break;
        walk.toggle(x, y);
        score += best;
        if (elite.wants(score)) elite.offer(score, walk.graph());
    }
}

// Puts the best graph on parts of the best network until parts in a row have nothing to gain.
void polish(const Instance& instance, Elite& best, const SearchOptions& options, int round, Control& control) {
    Network network = best.networks().front();
    Random random(options.seed * 0x9e3779b97f4a7c15ULL + 0x100000 + static_cast<std::uint64_t>(round));
    try {
        for (int failures = 0; failures < options.patience;) {
            control.check();
            if (improve_neighbourhood(instance, network, options.neighbourhood, random, control)) {
                failures = 0;
                best.offer(network.score, network.graph);
            } else {
                ++failures;
            }
        }
    } catch (const Stopped&) {
        // What was found before stays.
    }
}

}  // namespace

std::vector<Network> search_networks(const Instance& instance, const SearchOptions& options, Control& control,
                                     const std::vector<Network>& starts) {
    const int capacity = std::max(1, options.keep);
    Elite best(capacity);
    const Graph start = smallest_start(instance);
    if (allowed(instance, start)) best.offer(graph_score(start, instance.v), start);
    for (const Network& network : starts) best.offer(network.score, network.graph);
    if (best.networks().empty()) return {};
    if (instance.n == 1) return best.networks();

    const double typical = std::max(typical_gain(instance), 1e-9);
    // In waves, so that later restarts can go on from what the earlier ones found.
    const int wave = 4;
    for (int first = 0; first < options.restarts; first += wave) {
        const int count = std::min(wave, options.restarts - first);
        std::vector<Elite> found(count, Elite(capacity));
        const Network incumbent = best.networks().front();
        parallel_for(count, options.threads, [&](std::size_t k) {
            const int restart = first + static_cast<int>(k);
            const bool afresh = first == 0 || k % 2 == 0;
            const bool from_start = afresh && !(first == 0 && k == 1);
            Walk walk(instance, from_start ? start : incumbent.graph);
            const double score = graph_score(walk.graph(), instance.v);
            found[k].offer(score, walk.graph());
            const double hot = afresh ? typical * (k % 4 < 2 ? 0.5 : 0.1) : typical * 0.03;
            const double cold = std::min(hot, std::max(typical * 1e-3, 0.05 * hot));
            anneal(instance, walk, score, hot, cold, options.moves,
                   Random(options.seed * 0x9e3779b97f4a7c15ULL + static_cast<std::uint64_t>(restart) + 1), found[k],
                   control);
        });
        for (const Elite& elite : found)
            for (const Network& network : elite.networks()) best.offer(network.score, network.graph);
        if (instance.n > 3) polish(instance, best, options, first, control);
        control.done += count;
        if (control.stop.load(std::memory_order_relaxed)) break;
    }
    std::vector<Network> networks = best.networks();
    for (Network& network : networks) network.score = graph_score(network.graph, instance.v);
    std::stable_sort(networks.begin(), networks.end(),
                     [](const Network& x, const Network& y) { return x.score > y.score; });
    return networks;
}

}  // namespace chordlearn
