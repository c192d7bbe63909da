#include <algorithm>
#include <chrono>
#include <cmath>
#include <limits>
#include <random>
#include <stdexcept>
#include <thread>
#include <vector>

#include "bounding/cuts.hpp"
#include "bounding/local_bound.hpp"
#include "bounding/priced_sets.hpp"
#include "bounding/separation.hpp"
#include "bounding/set_index.hpp"
#include "bounding/small_scores.hpp"
#include "engine/exhaustive.hpp"
#include "scoring/all_sets.hpp"
#include "scoring/some_sets.hpp"
#include "tests/check.hpp"
#include "tests/masks.hpp"
#include "tests/tables.hpp"

using namespace chordlearn;

namespace {

constexpr int kAllNetworks = 1 << 10;  // there are 822 chordal graphs on five variables

bool is_complete(const Graph& graph, Set set) {
    bool complete = true;
    for_each(set, [&](int i) { complete = complete && (set & ~single(i) & ~graph[i]) == 0; });
    return complete;
}

// Each variable with its neighbours that are left when it is eliminated.
std::vector<std::pair<int, Set>> families_of(const Graph& graph) {
    std::vector<std::pair<int, Set>> families;
    const int n = static_cast<int>(graph.size());
    for (Set left = below(n); left;)
        for (int i = 0; i < n; ++i)
            if (left >> i & 1 && is_complete(graph, graph[i] & left)) {
                families.emplace_back(i, (graph[i] & left) | single(i));
                left &= ~single(i);
            }
    return families;
}

double left_side(const Cut& cut, const SetIndex& index, const Graph& graph) {
    double sum = constant_of(cut);
    for_each_term(cut, index, [&](std::size_t number, int coefficient) {
        sum += coefficient * is_complete(graph, mask_of(index.set(number)));
    });
    return sum;
}

// Scores of all sets of n variables that have at most `largest`; some pairs, and what holds them, are −∞.
struct Scores {
    Scores(int n, int largest, unsigned seed, double size) : index(n, largest), values(std::size_t{1} << n, 0) {
        std::mt19937_64 random(seed);
        std::uniform_real_distribution<double> score(-size, size);
        const Set forbidden = seed % 3 == 0 ? single(0) | single(n - 1) : ~Set{0};
        for (std::size_t set = 1; set < values.size(); ++set) {
            const Set s = static_cast<Set>(set);
            values[set] = score(random);
            if (chordlearn::size(s) > largest || (s & forbidden) == forbidden) values[set] = kMinusInfinity;
        }
        for (std::size_t number = 0; number < index.count(); ++number)
            by_number.push_back(values[mask_of(index.set(number))]);
    }

    std::vector<Network> networks() const {
        std::vector<Network> all;
        const int n = index.n();
        const Instance instance{n, values.data(), std::vector<Set>(static_cast<std::size_t>(n), 0)};
        for (const Ranked& ranked : solve_exhaustive(instance, kAllNetworks, Control{}).best)
            all.push_back({ranked.score, graph_of_cliques(n, ranked.cliques)});
        return all;
    }

    SetIndex index;
    std::vector<double> values, by_number;
};

void numbers_name_sets() {
    for (const auto& [n, largest] :
         {std::pair(1, 1), std::pair(5, 5), std::pair(9, 3), std::pair(40, 2), std::pair(13, 12)}) {
        const SetIndex index(n, largest);
        std::size_t number = 0;
        for (int size = 1; size <= largest; ++size) {
            CHECK(index.first(size) == number);
            index.for_each(size, [&](std::size_t own, const SmallSet& set) {
                CHECK(own == number && set.size == size && index.number(set) == number && index.set(number) == set);
                ++number;
            });
            CHECK(index.end(size) == number);
        }
        CHECK(number == index.count());
    }
    CHECK(SetIndex(3, 9).largest() == 3);
    bool refused = false;
    try {
        SetIndex(40, SmallSet::kMost + 1);
    } catch (const std::invalid_argument&) {
        refused = true;
    }
    CHECK(refused);
}

// The sets that some sets consist of, mixed up.
void lists_number_sets() {
    std::mt19937_64 random(7);
    const SetIndex all(9, 5);
    std::vector<std::size_t> listed;
    for (std::size_t number = 0; number < all.count(); ++number) {
        const Set set = mask_of(all.set(number));
        bool is_part = size(set) == 1;
        for (const Set large : {0b11111u, 0b110010110u, 0b101010u}) is_part = is_part || (set & ~large) == 0;
        if (is_part) listed.push_back(number);
    }
    std::shuffle(listed.begin(), listed.end(), random);
    std::vector<std::uint16_t> members;
    std::vector<std::size_t> ends;
    for (const std::size_t number : listed) {
        for (const int i : all.set(number)) members.push_back(static_cast<std::uint16_t>(i));
        ends.push_back(members.size());
    }
    const SetIndex index(9, members, ends);
    CHECK(index.n() == 9 && index.largest() == 5 && index.count() == listed.size());
    for (int i = 0; i < 9; ++i) CHECK(index.number(set_of(single(i))) == static_cast<std::size_t>(i));
    for (std::size_t number = 0; number < all.count(); ++number) {
        const SmallSet set = all.set(number);
        const std::size_t own = index.number(set);
        CHECK((own != SetIndex::kNone) == (std::find(listed.begin(), listed.end(), number) != listed.end()));
        if (own != SetIndex::kNone)
            CHECK(index.set(own) == set && index.first(set.size) <= own && own < index.end(set.size));
    }
    CHECK(index.number(all.set(all.number(set_of(0b11111)))) != SetIndex::kNone);
    // A part is missing; a set is there twice; a variable is missing.
    const auto is_refused = [](const std::vector<std::uint16_t>& sets, const std::vector<std::size_t>& until) {
        try {
            SetIndex(3, sets, until);
        } catch (const std::invalid_argument&) {
            return true;
        }
        return false;
    };
    CHECK(!is_refused({0, 1, 2, 0, 1}, {1, 2, 3, 5}));
    CHECK(is_refused({0, 1, 2, 0, 1, 2}, {1, 2, 3, 6}));
    CHECK(is_refused({0, 1, 2, 0, 1, 0, 1}, {1, 2, 3, 5, 7}));
    CHECK(is_refused({0, 1}, {1, 2}) && is_refused({0, 1, 2, 1, 0}, {1, 2, 3, 5}) && is_refused({0, 1, 3}, {1, 2, 3}));
}

void small_scores_are_those_of_the_sets() {
    const std::vector<std::vector<std::int64_t>> shapes = {
        {2}, {1, 3, 2}, {2, 2, 2, 2, 2, 2, 2}, {4, 2, 1, 3, 700, 2}, {3, 3, 3, 3, 3}};
    unsigned seed = 0;
    for (const auto& arities : shapes)
        for (const std::size_t distinct : {0, 1, 3, 70, 400})
            // Rows that repeat little are sliced into bits, others are not.
            for (const std::int64_t heaviest : {1, 3, 100000}) {
                const CodedTable table = random_table(++seed, distinct, arities, heaviest);
                const ScoreOptions options{static_cast<ScoreKind>(seed % 4), 0.7, -0.25};
                SetScorer single(table, options);
                const SetIndex index(table.variables(), 3);
                std::vector<std::uint32_t> occurring(index.count() - index.first(index.largest())), again(occurring);
                Control control;
                const auto scores = score_small_sets(table, options, index, 3, control, occurring.data());
                CHECK(scores == score_small_sets(table, options, index, 1, control, again.data()));
                CHECK(occurring == again);
                for (std::size_t number = 0; number < scores.size(); ++number) {
                    const SmallSet set = index.set(number);
                    const std::vector<int> variables(set.begin(), set.end());
                    CHECK(std::fabs(scores[number] - single.score(variables)) <=
                          1e-10 * (1 + std::fabs(scores[number])));
                    if (set.size == index.largest())
                        CHECK(occurring[number - index.first(set.size)] == single.counts(variables).size());
                }
            }
}

void no_network_is_above_the_local_bound() {
    for (unsigned seed = 1; seed <= 24; ++seed) {
        const CodedTable table = random_table(seed, 2 + 3 * seed, {2, 3, 2, 1 + seed % 4, 2}, 1 + seed % 5);
        const ScoreOptions options{static_cast<ScoreKind>(seed % 5), seed % 2 ? 1.0 : 40.0, seed % 3 ? 0.0 : 1.5};
        std::vector<double> values(std::size_t{1} << 5);
        Control control;
        CHECK(score_all_sets(table, options, 5, 1, control, values.data()));
        const Instance instance{5, values.data(), std::vector<Set>(5, 0)};
        const double best = solve_exhaustive(instance, 1, control).best.front().score;
        for (int largest = 1; largest <= 5; ++largest) {
            const double bound = local_bound(table, options, largest, 2, control);
            CHECK(best <= bound);
            CHECK(bound == local_bound(table, options, largest, 1, control));
        }
    }
}

// Every cut on five variables, for every chordal graph on them: never negative, and summed by families the same.
void cuts_hold_for_every_chordal_graph() {
    const Scores scores(5, 5, 1, 1);
    const SetIndex& index = scores.index;
    std::vector<Cut> cuts;
    for (Set apart = 0; apart < 32; ++apart)
        for (Set among = 1; among < 32; ++among) {
            if (apart & among) continue;
            Cut cut{set_of(apart), {}, -1};
            for_each(among, [&](int i) { cut.among.push_back(static_cast<std::uint16_t>(i)); });
            if (apart == 0) {
                cuts.push_back(cut);
                continue;
            }
            for_each(among, [&](int i) {
                cut.with = i;
                cuts.push_back(cut);
            });
        }
    for (const Network& network : scores.networks())
        for (const Cut& cut : cuts) {
            const double left = left_side(cut, index, network.graph);
            CHECK(left >= 0);
            double by_families = constant_of(cut);
            for (const auto& [child, family] : families_of(network.graph))
                by_families += family_coefficient_of(cut, set_of(family), child);
            CHECK(by_families == left);
        }
}

void found_cuts_are_violated() {
    std::mt19937_64 random(5);
    std::uniform_real_distribution<double> share(0, 1);
    for (int trial = 0; trial < 20; ++trial) {
        const SetIndex index(6, 3);
        Point point;
        std::vector<double> values(index.count(), 0);
        for (std::size_t number = 6; number < index.count(); ++number)
            if (random() % 2) {
                point.sets.push_back(index.set(number));
                point.values.push_back(values[number] = share(random));
            }
        const auto cuts = violated_cuts(point, index, 1e-3, 1000);
        CHECK(!cuts.empty());
        for (const Cut& cut : cuts) {
            double left = constant_of(cut);
            for_each_term(cut, index,
                          [&](std::size_t number, int coefficient) { left += coefficient * values[number]; });
            CHECK(left < 0);
        }
        CHECK(cuts == violated_cuts(point, index, 1e-3, 1000));
    }
}

// Prices, closed edges and exclusions, with multipliers from tiny to absurd.
void priced_bounds_hold_for_every_network() {
    std::mt19937_64 random(9);
    for (unsigned seed = 1; seed <= 60; ++seed) {
        const int n = 3 + static_cast<int>(seed % 3), largest = 2 + static_cast<int>(random() % (n - 1));
        const Scores scores(n, largest, seed, std::pow(10.0, static_cast<double>(seed % 12)));
        const SetIndex& index = scores.index;
        const auto networks = scores.networks();
        PricedSets sets(index, scores.by_number);
        CHECK(networks.back().score >= sets.least_score());
        CHECK(networks.front().score <= sets.price({}));
        std::vector<std::pair<std::size_t, double>> multipliers;
        for (int k = 0; k < 40; ++k) {
            const Set among = 1 + static_cast<Set>(random() % below(n));
            Cut cut;
            for_each(among, [&](int i) { cut.among.push_back(static_cast<std::uint16_t>(i)); });
            const std::size_t place = sets.place_of(cut);
            CHECK(sets.place_of(cut) == place && sets.cut(place) == cut);
            multipliers.emplace_back(place, std::pow(10.0, static_cast<double>(random() % 40) - 4));
        }
        CHECK(networks.front().score <= sets.price(multipliers));

        const auto without_01 = std::find_if(networks.begin(), networks.end(),
                                             [](const Network& network) { return !(network.graph[0] & single(1)); });
        sets.close({index.number(set_of(0b11))});
        CHECK(without_01->score <= sets.price(multipliers));
        sets.close({});

        multipliers.resize(3);
        for (auto& [place, multiplier] : multipliers) multiplier = 0.1;
        sets.price(multipliers);
        const double lower = networks[networks.size() / 8].score;
        const std::size_t left = sets.left(), excluded = sets.exclude_below(lower);
        CHECK(sets.left() + excluded == left);
        for (const Network& network : networks) {
            if (network.score < lower) break;
            for (const Set clique : maximal_cliques(network.graph))
                if (size(clique) > 1) CHECK(!sets.is_excluded(index.number(set_of(clique))));
        }
        // A lower bound that nothing reaches leaves nothing, be it ever so high.
        sets.exclude_below(std::numeric_limits<double>::max());
        CHECK(sets.left() == 0);
        CHECK(sets.exclude_below(std::numeric_limits<double>::infinity()) == 0);
    }
}

// What is excluded is as good as not listed.
void lists_are_priced_as_all_sets() {
    for (unsigned seed = 1; seed <= 20; ++seed) {
        const Scores scores(6, 4, seed, 100);
        PricedSets all(scores.index, scores.by_number);
        all.price({});
        all.exclude_below(scores.networks()[5].score);
        std::vector<std::uint16_t> members;
        std::vector<std::size_t> ends;
        std::vector<double> values;
        for (std::size_t number = 0; number < scores.index.count(); ++number) {
            if (number >= 6 && all.is_excluded(number)) continue;
            for (const int i : scores.index.set(number)) members.push_back(static_cast<std::uint16_t>(i));
            ends.push_back(members.size());
            values.push_back(scores.by_number[number]);
        }
        PricedSets listed(SetIndex(6, members, ends), values);
        CHECK(listed.left() == all.left());
        std::vector<std::pair<std::size_t, double>> multipliers;
        std::mt19937_64 random(seed);
        for (int k = 0; k < 12; ++k) {
            Cut cut;
            const Set apart = k % 3 ? single(static_cast<int>(random() % 6)) : 0;
            for_each((1 + static_cast<Set>(random() % 63)) & ~apart,
                     [&](int i) { cut.among.push_back(static_cast<std::uint16_t>(i)); });
            if (cut.among.empty()) continue;
            cut.apart = set_of(apart);
            if (apart) cut.with = cut.among.front();
            multipliers.emplace_back(all.place_of(cut), 10.0 * k);
            CHECK(listed.place_of(cut) == multipliers.back().first);
        }
        CHECK(std::fabs(all.price(multipliers) - listed.price(multipliers)) < 1e-5);
        CHECK(all.families_above(std::vector<double>(6, -1e9), 100).size() ==
              listed.families_above(std::vector<double>(6, -1e9), 100).size());
    }
}

// Families worth what the scores of their sets differ by.
void families_weigh_what_they_add() {
    const Scores scores(5, 4, 2, 100);
    PricedSets sets(scores.index, scores.by_number);
    for (std::size_t number = 5; number < scores.index.count(); ++number) {
        const SmallSet family = scores.index.set(number);
        const Set mask = mask_of(family);
        for (const int child : family) {
            const double added =
                scores.values[mask] - scores.values[mask & ~single(child)] - scores.values[single(child)];
            CHECK(std::fabs(sets.family_weight(family, child) - added) < 1e-6);
        }
    }
    sets.price({});
    sets.exclude_below(1e9);
    for (std::size_t number = 5; number < scores.index.count(); ++number) {
        const SmallSet family = scores.index.set(number);
        CHECK(sets.family_weight(family, family.at[0]) == 0);
    }
}

void stops_when_asked() {
    const CodedTable table = random_table(3, 3000, std::vector<std::int64_t>(24, 3), 1);
    const SetIndex index(24, 4);
    for (const int threads : {1, 3}) {
        Control control;
        std::thread watcher([&] {
            std::this_thread::sleep_for(std::chrono::milliseconds(5));
            control.stop = true;
        });
        bool stopped = false;
        try {
            score_small_sets(table, {}, index, threads, control);
        } catch (const Stopped&) {
            stopped = true;
        }
        watcher.join();
        CHECK(stopped);
    }
}

}  // namespace

int main() {
    numbers_name_sets();
    lists_number_sets();
    small_scores_are_those_of_the_sets();
    no_network_is_above_the_local_bound();
    cuts_hold_for_every_chordal_graph();
    found_cuts_are_violated();
    priced_bounds_hold_for_every_network();
    lists_are_priced_as_all_sets();
    families_weigh_what_they_add();
    stops_when_asked();
}
