#include "large/region_walk.hpp"

#include <cmath>

namespace chordlearn {

namespace {

bool accepts(double gain, double temperature, Random& random) {
    return gain >= 0 || gain >= temperature * std::log(random.unit());
}

int pick(Mask set, Random& random) {
    for (std::uint32_t skip = random.below(static_cast<std::uint32_t>(set.size())); skip > 0; --skip)
        set = set.without_lowest();
    return set.lowest();
}

}  // namespace

RegionWalk::RegionWalk(RegionScorer& scorer, Graph graph, Rules rules)
    : scorer_(scorer), n_(static_cast<int>(graph.size())), graph_(std::move(graph)), rules_(std::move(rules)) {
    if (rules_.max_clique == 0) rules_.max_clique = n_;
}

void RegionWalk::anneal(const Annealing& schedule, Random& random, const Control& control) {
    constexpr std::uint64_t kStep = 64;
    constexpr double kLeast = 1e-9;  // what rounding may feign
    const double cooling =
        std::pow(schedule.cold / schedule.hot, static_cast<double>(kStep) / static_cast<double>(schedule.moves));
    double temperature = schedule.hot;
    Graph best = graph_;
    double best_gain = gain_;
    for (std::uint64_t move = 0; move < schedule.moves; ++move) {
        if (move % kStep == 0) {
            control.check();
            temperature *= cooling;
        }
        const bool moved = random.below(3) ? toggle_edge(temperature, random) : exchange_neighbour(temperature, random);
        if (moved && gain_ > best_gain + kLeast) {
            best = graph_;
            best_gain = gain_;
        }
    }
    graph_ = std::move(best);
    gain_ = best_gain;
}

bool RegionWalk::toggle_edge(double temperature, Random& random) {
    const int a = static_cast<int>(random.below(static_cast<std::uint32_t>(n_)));
    const int b = propose_partner(a, random);
    if (a == b) return false;
    const Mask common = graph_[a] & graph_[b];
    const bool present = graph_[a].has(b);
    if (present ? !may_remove(common, a, b) : !may_add(common, a, b)) return false;
    const double added = scorer_.edge_gain(common, a, b), gain = present ? -added : added;
    if (!accepts(gain, temperature, random)) return false;
    graph_[a] = graph_[a] ^ Mask::one(b);
    graph_[b] = graph_[b] ^ Mask::one(a);
    gain_ += gain;
    return true;
}

// Only neighbours, neighbours of neighbours, and variables of other connected parts can be joined to a or parted from
// it.
int RegionWalk::propose_partner(int a, Random& random) const {
    constexpr std::uint32_t kRarely = 16;
    if (graph_[a].empty() || random.below(kRarely) == 0)
        return static_cast<int>(random.below(static_cast<std::uint32_t>(n_)));
    const int neighbour = pick(graph_[a], random);
    if (random.below(2)) return neighbour;
    const Mask beyond = graph_[neighbour] & ~graph_[a] & ~Mask::one(a);
    return beyond.empty() ? a : pick(beyond, random);
}

bool RegionWalk::may_remove(Mask common, int a, int b) const {
    return !rules_.required[a].has(b) && is_complete(common);
}

bool RegionWalk::may_add(Mask common, int a, int b) const {
    return !rules_.forbidden[a].has(b) && common.size() + 2 <= rules_.max_clique &&
           scorer_.is_quick(common | Mask::one(a) | Mask::one(b)) && separates(common, a, b);
}

// A variable whose neighbours are complete may have any complete set for neighbours instead.
bool RegionWalk::exchange_neighbour(double temperature, Random& random) {
    const int x = static_cast<int>(random.below(static_cast<std::uint32_t>(n_)));
    const Mask before = graph_[x];
    if (before.empty() || !is_complete(before)) return false;
    const int left = pick(before, random);
    if (rules_.required[x].has(left)) return false;
    const Mask stay = before & ~Mask::one(left);
    Mask choice = Mask::below(n_);
    for_each(stay, [&](int i) { choice = choice & graph_[i]; });
    choice = choice & ~before & ~Mask::one(x) & ~rules_.forbidden[x];
    if (choice.empty()) return false;
    const int taken = pick(choice, random);
    const Mask after = stay | Mask::one(taken);
    if (!scorer_.is_quick(after | Mask::one(x))) return false;
    const double gain = scorer_.neighbour_gain(after, x) - scorer_.neighbour_gain(before, x);
    if (!accepts(gain, temperature, random)) return false;
    graph_[x] = after;
    graph_[left] = graph_[left] & ~Mask::one(x);
    graph_[taken] = graph_[taken] | Mask::one(x);
    gain_ += gain;
    return true;
}

bool RegionWalk::is_complete(Mask set) const {
    for (Mask rest = set; !rest.empty(); rest = rest.without_lowest()) {
        const int i = rest.lowest();
        if (!(set & ~graph_[i] & ~Mask::one(i)).empty()) return false;
    }
    return true;
}

bool RegionWalk::separates(Mask set, int a, int b) const {
    Mask reached = Mask::one(a), frontier = reached;
    while (!frontier.empty()) {
        Mask next;
        for_each(frontier, [&](int i) { next = next | graph_[i]; });
        if (next.has(b)) return false;
        frontier = next & ~reached & ~set;
        reached = reached | frontier;
    }
    return true;
}

}  // namespace chordlearn
