#include <algorithm>
#include <cmath>

#include "bounding/local_bound.hpp"
#include "bounding/priced_sets.hpp"
#include "bounding/separation.hpp"
#include "bounding/small_scores.hpp"
#include "engine/exhaustive.hpp"
#include "fuzz/inputs.hpp"
#include "fuzz/interruption.hpp"
#include "fuzz/target.hpp"
#include "scoring/all_sets.hpp"
#include "scoring/some_sets.hpp"
#include "tests/masks.hpp"

using namespace chordlearn;

namespace {

constexpr int kMostNetworks = 1 << 15;  // more than there are chordal graphs on so few variables

std::vector<Network> all_networks(const Instance& instance, const Control& control) {
    std::vector<Network> networks;
    for (const Ranked& ranked : solve_exhaustive(instance, kMostNetworks, control).best)
        networks.push_back({ranked.score, graph_of_cliques(instance.n, ranked.cliques)});
    return networks;
}

double left_side(const Cut& cut, const SetIndex& index, const Graph& graph) {
    double sum = constant_of(cut);
    for_each_term(cut, index, [&](std::size_t number, int coefficient) {
        sum += coefficient * fuzz::is_complete(graph, mask_of(index.set(number)));
    });
    return sum;
}

// Scores of small sets are those of the sets, and no network scores more than the local bound.
void score_table(fuzz::Bytes& bytes) {
    const CodedTable table = fuzz::table_from(bytes, 1, 5);
    const ScoreOptions options = fuzz::options_from(bytes);
    const int n = table.variables(), largest = bytes.between(1, n), threads = bytes.between(1, 3);
    fuzz::Interruption interruption(bytes);
    const SetIndex index(n, largest);
    std::vector<std::uint32_t> occurring(index.count() - index.first(largest));
    const auto scores = score_small_sets(table, options, index, threads, interruption.control, occurring.data());
    SetScorer single(table, options);
    double magnitude = 1;
    for (std::size_t number = 0; number < scores.size(); ++number) {
        const SmallSet set = index.set(number);
        const std::vector<int> variables(set.begin(), set.end());
        const double score = single.score(variables);
        magnitude = std::max(magnitude, std::fabs(score));
        EXPECT(std::fabs(score - scores[number]) <= 1e-9 * (1 + std::fabs(score)));
        if (set.size == largest) EXPECT(occurring[number - index.first(largest)] == single.counts(variables).size());
    }
    std::vector<double> values(std::size_t{1} << n);
    if (!score_all_sets(table, options, n, threads, interruption.control, values.data())) return;
    const Instance instance{n, values.data(), std::vector<Set>(static_cast<std::size_t>(n), 0)};
    const double bound = local_bound(table, options, largest, threads, interruption.control);
    for (const double value : values) magnitude = std::max(magnitude, std::fabs(value));
    for (const Network& network : all_networks(instance, interruption.control))
        EXPECT(network.score <= bound + 1e-12 * magnitude);
}

// A cut that holds for every chordal graph, or says that an edge is there.
Cut cut_from(fuzz::Bytes& bytes, int n, int largest) {
    const Set all = below(n);
    Set apart = bytes.flag() ? 0 : static_cast<Set>(bytes.byte()) & all;
    while (size(apart) > largest - 1) apart &= apart - 1;
    Set among = static_cast<Set>(bytes.byte()) & all & ~apart;
    if (!among) among = all & ~apart & ~((all & ~apart) - 1);
    Cut cut{set_of(apart), {}, -1, false};
    for_each(among, [&](int i) { cut.among.push_back(static_cast<std::uint16_t>(i)); });
    if (apart && !cut.among.empty()) cut.with = cut.among[bytes.byte() % cut.among.size()];
    if (!apart && cut.among.size() == 2) cut.is_edge = bytes.one_in(3);
    return cut;
}

// Bounds and exclusions by prices hold for every network, whatever the scores, cuts and multipliers.
void price(fuzz::Bytes& bytes) {
    const int n = bytes.between(1, 5), largest = bytes.between(1, n);
    fuzz::Problem problem(bytes, n, bytes.one_in(8) ? 1e300 : 1e12);
    problem.instance.required.assign(static_cast<std::size_t>(n), 0);
    for (std::size_t set = 0; set < problem.scores.size(); ++set)
        if (size(static_cast<Set>(set)) > largest) problem.scores[set] = kMinusInfinity;
    const SetIndex index(n, largest);
    std::vector<double> scores;
    for (std::size_t number = 0; number < index.count(); ++number)
        scores.push_back(problem.scores[mask_of(index.set(number))]);
    PricedSets sets(index, scores);
    auto networks = all_networks(problem.instance, Control{});
    for (const Network& network : networks) {
        EXPECT(network.score >= sets.least_score());
        for (const Set clique : maximal_cliques(network.graph)) EXPECT(!sets.is_excluded(index.number(set_of(clique))));
    }

    for (int round = bytes.between(1, 3); round > 0; --round) {
        std::vector<std::pair<std::size_t, double>> multipliers;
        for (int cuts = bytes.between(0, 12); cuts > 0; --cuts) {
            const Cut cut = cut_from(bytes, n, largest);
            if (cut.among.empty()) continue;
            const std::size_t place = sets.place_of(cut);
            EXPECT(sets.cut(place) == cut && sets.place_of(cut) == place);
            multipliers.emplace_back(place, fuzz::number_from(bytes, 1e300));
        }
        EdgeList closed;
        if (largest > 1 && bytes.one_in(3)) closed = fuzz::edges_from(bytes, n, 2);
        std::vector<std::size_t> numbers;
        for (const auto& [a, b] : closed) numbers.push_back(index.number(set_of(single(a) | single(b))));
        sets.close(numbers);

        // Only of networks that the edges there and not there let be.
        const auto may_be = [&](const Network& network) {
            for (const auto& [a, b] : closed)
                if (fuzz::has_edge(network.graph, a, b)) return false;
            for (const auto& [place, multiplier] : multipliers) {
                const Cut& cut = sets.cut(place);
                if (cut.is_edge && !fuzz::has_edge(network.graph, cut.among[0], cut.among[1])) return false;
                if (cut.apart.size + static_cast<int>(cut.among.size()) <= largest || cut.is_edge)
                    EXPECT(left_side(cut, index, network.graph) >= 0);
            }
            return true;
        };
        std::erase_if(networks, [&](const Network& network) { return !may_be(network); });
        const double bound = sets.price(multipliers);
        for (const Network& network : networks) EXPECT(network.score <= bound);
        sets.families_above(std::vector<double>(static_cast<std::size_t>(n), fuzz::number_from(bytes, 1e300)),
                            static_cast<std::size_t>(bytes.between(0, 9)));

        const double best = networks.empty() ? 0 : networks.front().score;
        const double lower =
            bytes.flag() ? best - std::fabs(fuzz::number_from(bytes, 1e6)) : fuzz::number_from(bytes, 1e300);
        const std::size_t before = sets.left();
        EXPECT(sets.exclude_below(lower) + sets.left() == before);
        for (std::size_t number = 0; number < index.count(); ++number)
            for (const int child : index.set(number))
                EXPECT(std::isfinite(sets.family_weight(index.set(number), child)));
        std::erase_if(networks, [&](const Network& network) { return network.score < lower; });
        for (const Network& network : networks)
            for (const Set clique : maximal_cliques(network.graph))
                EXPECT(!sets.is_excluded(index.number(set_of(clique))));
    }
}

// Cuts that a point violates hold for every chordal graph.
void separate(fuzz::Bytes& bytes) {
    const int n = bytes.between(2, 6), largest = bytes.between(2, n);
    const SetIndex index(n, largest);
    Point point;
    for (std::size_t number = static_cast<std::size_t>(n); number < index.count(); ++number) {
        if (bytes.flag()) continue;
        point.sets.push_back(index.set(number));
        point.values.push_back(bytes.share());
    }
    const auto cuts = violated_cuts(point, index, bytes.share() * 0.1, static_cast<std::size_t>(bytes.word(1)));
    for (int graphs = 0; graphs < 20; ++graphs) {
        Graph graph(static_cast<std::size_t>(n), 0);
        for (const auto& [a, b] : fuzz::edges_from(bytes, n, n * n)) {
            graph[static_cast<std::size_t>(a)] |= single(b);
            graph[static_cast<std::size_t>(b)] |= single(a);
        }
        const auto cliques = maximal_cliques(graph);
        const auto fits = [&](Set clique) { return size(clique) <= largest; };
        if (!is_chordal(graph) || !std::all_of(cliques.begin(), cliques.end(), fits)) continue;
        for (const Cut& cut : cuts) {
            EXPECT(left_side(cut, index, graph) >= 0);
            EXPECT(std::is_sorted(cut.among.begin(), cut.among.end()));
        }
    }
}

void run(fuzz::Bytes& bytes) {
    switch (bytes.byte() % 3) {
        case 0: return score_table(bytes);
        case 1: return price(bytes);
        default: return separate(bytes);
    }
}

}  // namespace

FUZZ_TARGET(run)
