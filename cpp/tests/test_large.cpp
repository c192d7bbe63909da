#include <algorithm>
#include <atomic>
#include <chrono>
#include <cmath>
#include <functional>
#include <optional>
#include <random>
#include <stdexcept>
#include <thread>
#include <vector>

#include "common/parallel.hpp"
#include "engine/exhaustive.hpp"
#include "large/mask.hpp"
#include "large/wide_search.hpp"
#include "scoring/all_sets.hpp"
#include "tests/check.hpp"
#include "tests/tables.hpp"

using namespace chordlearn;

namespace {

bool close(double a, double b) { return std::fabs(a - b) <= 1e-9 * (1 + std::fabs(b)); }

bool refuses(const std::function<void()>& work) {
    try {
        work();
    } catch (const std::invalid_argument&) {
        return true;
    }
    return false;
}

WideGraph random_graph(int n, int edges, std::mt19937& random) {
    WideGraph graph(n);
    while (edges-- > 0) {
        const int a = static_cast<int>(random() % n), b = static_cast<int>(random() % n);
        if (a != b) graph.connect(a, b);
    }
    return graph;
}

void masks_are_sets() {
    std::mt19937_64 random(1);
    for (int trial = 0; trial < 200; ++trial) {
        std::vector<bool> members(Mask::kMost);
        Mask mask;
        for (int k = 0; k < 40; ++k) {
            const int i = static_cast<int>(random() % Mask::kMost);
            members[i] = true;
            mask = mask | Mask::one(i);
        }
        std::vector<int> listed, expected;
        for_each(mask, [&](int i) { listed.push_back(i); });
        for (int i = 0; i < Mask::kMost; ++i) {
            CHECK(mask.has(i) == members[i]);
            if (members[i]) expected.push_back(i);
        }
        CHECK(listed == expected && mask.size() == static_cast<int>(expected.size()));
    }
    for (const int n : {0, 1, 63, 64, 65, 127, 128}) CHECK(Mask::below(n).size() == n);
}

void completions_are_chordal_and_have_junction_forests() {
    std::mt19937 random(2);
    for (int trial = 0; trial < 200; ++trial) {
        const int n = 1 + static_cast<int>(random() % 30);
        const WideGraph graph = random_graph(n, static_cast<int>(random() % (2 * n)), random);
        const WideGraph filled = chordal_completion(graph);
        CHECK(is_chordal(filled));
        if (is_chordal(graph)) CHECK(filled.edges() >= graph.edges());
        for (const auto& [a, b] : edges_of(graph)) CHECK(filled.adjacent(a, b));
        const auto nodes = junction_forest(filled).nodes;
        WideGraph drawn(n);
        for (const auto& node : nodes) {
            for (const int a : node.clique)
                for (const int b : node.clique)
                    if (a < b) drawn.connect(a, b);
            CHECK((node.parent < 0) == node.separator.empty());
            if (node.parent >= 0) {
                const auto& parent = nodes[static_cast<std::size_t>(node.parent)].clique;
                CHECK(std::includes(parent.begin(), parent.end(), node.separator.begin(), node.separator.end()));
            }
        }
        CHECK(edges_of(drawn) == edges_of(filled));
    }
    CHECK(!is_chordal(graph_of(4, {{0, 1}, {1, 2}, {2, 3}, {0, 3}})));
    CHECK(refuses([] { graph_of(3, {{0, 3}}); }));
    CHECK(refuses([] { graph_of(3, {{1, 1}}); }));
}

void pairs_gain_what_their_scores_say() {
    for (unsigned seed = 1; seed <= 12; ++seed) {
        const CodedTable table =
            random_table(seed, 20 * seed, {2, 3, 1, 5, 2, 2}, seed % 2 ? 1 : 1000000);  // sliced into bits, or not
        const ScoreOptions options{static_cast<ScoreKind>(seed % 5), 0.5, 0.1};
        const PairScores pairs = score_pairs(table, options, 3, Control{});
        SetScorer single(table, options);
        for (int i = 0; i < 6; ++i)
            for (int j = 0; j < i; ++j) {
                const double both = single.score({j, i}), apart = single.score({i}) + single.score({j});
                CHECK(std::fabs(pairs.gain(i, j) - (both - apart)) <= 1e-9 * (1 + std::fabs(both) + std::fabs(apart)));
            }
    }
}

// Seen from four and five variables: no graph is better than what an exact region gives, and the forest is the best.
void exact_regions_are_optimal() {
    for (unsigned seed = 1; seed <= 20; ++seed) {
        const int n = 4 + static_cast<int>(seed % 2);
        const CodedTable table = chained_table(seed, 60, n);
        const ScoreOptions options{ScoreKind::bdeu, 1.0, seed % 3 ? 0.0 : -1.0};
        std::vector<double> values(std::size_t{1} << n);
        Control control;
        CHECK(score_all_sets(table, options, n, 1, control, values.data()));
        Instance instance{n, values.data(), std::vector<Set>(static_cast<std::size_t>(n), 0)};
        RegionTask task;
        for (int i = 0; i < n; ++i) task.variables.push_back(i);
        if (seed % 4 == 0) {
            task.required = {{0, 3}};
            task.present = {{0, 3}};
            instance.required[0] = single(3);
            instance.required[3] = single(0);
        }
        if (seed % 4 == 1) {
            task.forbidden = {{1, 2}};
            for (std::size_t set = 0; set < values.size(); ++set)
                if ((set & 0b110) == 0b110) values[set] = kMinusInfinity;
        }
        if (seed % 4 == 2) {
            task.max_clique = 2;
            for (std::size_t set = 0; set < values.size(); ++set)
                if (size(static_cast<Set>(set)) > 2) values[set] = kMinusInfinity;
        }
        const double best = solve_exhaustive(instance, 1, control).best.front().score;
        Graph before(static_cast<std::size_t>(n), 0);
        for (const auto& [a, b] : task.present) {
            before[static_cast<std::size_t>(a)] |= single(b);
            before[static_cast<std::size_t>(b)] |= single(a);
        }
        const double first = graph_score(before, values.data());
        const TermStore store(options, table.rows);
        const auto change = improve_region(table, store, task, control);
        CHECK(close(first + (change ? change->gain : 0), best));
        task.annealing = {2000, 2.0, 0.1};
        task.seed = seed;
        const auto annealed = improve_region(table, store, task, control);
        CHECK(close(first + (annealed ? annealed->gain : 0), best));

        if (seed % 4 == 2) {
            WideGraph forest(n);
            join_by_best_forest(forest, score_pairs(table, options, 2, control), {});
            Graph graph(static_cast<std::size_t>(n), 0);
            for (int i = 0; i < n; ++i)
                for (int j : forest.neighbours(i)) graph[static_cast<std::size_t>(i)] |= single(j);
            CHECK(close(graph_score(graph, values.data()), best));
        }
    }
}

void impossible_regions_are_refused() {
    const CodedTable table = chained_table(1, 20, 30);
    const TermStore store({}, table.rows);
    const auto improve = [&](const RegionTask& task) {
        return refuses([&] {
            Control control;
            improve_region(table, store, task, control);
        });
    };
    RegionTask task;
    CHECK(improve(task));  // without variables
    task.variables = {1, 0};
    CHECK(improve(task));
    task.variables = {0, 30};
    CHECK(improve(task));
    task.variables = {0, 1};
    task.present = {{0, 2}};
    CHECK(improve(task));
    task.present.clear();
    task.variables.clear();
    for (int i = 0; i < 30; ++i) task.variables.push_back(i);
    CHECK(improve(task));  // too many to be solved exactly
}

// Waves of a search, with the moves of annealing cut short; every so often `between` is called.
template <class Between>
void run_waves(WideSearch& search, const CodedTable& table, const TermStore& store, int waves, int threads,
               Control& control, Between&& between) {
    for (int wave = 0; wave < waves; ++wave) {
        const auto tasks = search.propose();
        std::vector<std::optional<RegionChange>> changes(tasks.size());
        parallel_for(tasks.size(), threads, [&](std::size_t k) {
            RegionTask task = tasks[k];
            task.annealing.moves = std::min<std::uint64_t>(task.annealing.moves, 400);
            changes[k] = improve_region(table, store, task, control);
        });
        search.accept(changes);
        between(wave);
    }
}

void scores_of_a_search_are_true() {
    const CodedTable table = chained_table(7, 150, 26);
    const ScoreOptions options;
    const TermStore store(options, table.rows);
    const WideOptions constraints{4, {{0, 5}, {5, 9}, {9, 0}}, {{1, 2}, {3, 4}}, 3};
    std::vector<EdgeList> ends;
    for (const int threads : {1, 3}) {
        WideSearch search(table, options, constraints);
        CHECK(search.feasible());
        Control control;
        search.start(threads, control);
        std::atomic<bool> running{true};
        double seen = kNoScore;
        std::thread watcher([&] {
            while (running) seen = search.score();
        });
        double before = search.score();
        run_waves(search, table, store, 12, threads, control, [&](int) {
            const WideGraph graph = graph_of(26, search.edges());
            CHECK(is_chordal(graph) && search.score() >= before && close(search.score(), search.exact_score()));
            CHECK(graph.adjacent(0, 5) && graph.adjacent(5, 9) && graph.adjacent(0, 9));
            CHECK(!graph.adjacent(1, 2) && !graph.adjacent(3, 4));
            for (const auto& node : junction_forest(graph).nodes) CHECK(node.clique.size() <= 4);
            before = search.score();
        });
        running = false;
        watcher.join();
        CHECK(seen <= search.score());
        ends.push_back(search.edges());
    }
    CHECK(ends[0] == ends[1]);
}

void a_search_goes_on_from_its_state() {
    const CodedTable table = chained_table(8, 100, 16);
    const ScoreOptions options{ScoreKind::bic, 1.0, 0.0};
    const TermStore store(options, table.rows);
    Control control;
    WideSearch search(table, options, {0, {{0, 1}}, {}, 4}), other(table, options, {0, {{0, 1}}, {}, 99});
    search.start(2, control);
    run_waves(search, table, store, 10, 2, control, [&](int wave) {
        if (wave == 4) other.restore(search.state());
    });
    run_waves(other, table, store, 5, 1, control, [](int) {});
    CHECK(search.edges() == other.edges());
    const WideState state = search.state(), same = other.state();
    CHECK(state.random == same.random && state.part_size == same.part_size && state.solved == same.solved);

    const auto damaged = [&](auto&& damage) {
        WideState copy = state;
        damage(copy);
        return refuses([&] { other.restore(copy); });
    };
    CHECK(!damaged([](WideState&) {}));
    CHECK(damaged([](WideState& copy) { copy.edges.clear(); }));
    CHECK(damaged([](WideState& copy) { copy.edges.emplace_back(0, 16); }));
    CHECK(damaged([](WideState& copy) { copy.score += 1; }));
    CHECK(damaged([](WideState& copy) { copy.score = NAN; }));
    CHECK(damaged([](WideState& copy) { copy.part_size = 40; }));
    CHECK(damaged([](WideState& copy) { copy.level = 60; }));
    CHECK(damaged([](WideState& copy) { copy.typical_gain = INFINITY; }));
    CHECK(other.edges() == search.edges());
}

void answers_to_other_regions_are_refused() {
    const CodedTable table = chained_table(9, 50, 12);
    WideSearch search(table, {}, {});
    search.start(1, Control{});
    const auto tasks = search.propose();
    CHECK(!tasks.empty());
    CHECK(refuses([&] { search.accept({}); }));
    std::vector<std::optional<RegionChange>> changes(tasks.size());
    changes[0] = RegionChange{{0, 1}, {}, 5.0};
    CHECK(refuses([&] { search.accept(changes); }));
    changes[0] = RegionChange{tasks[0].variables, {{0, 12}}, 5.0};
    CHECK(refuses([&] { search.accept(changes); }));
}

void constraints_may_leave_nothing() {
    const CodedTable table = chained_table(10, 50, 6);
    const ScoreOptions options;
    const WideSearch torn(table, options, {0, {{0, 1}}, {{1, 0}}, 0});
    CHECK(!torn.feasible() && torn.exact_score() == kNoScore);
    CHECK(!WideSearch(table, options, {2, {{0, 1}, {1, 2}, {2, 0}}, {}, 0}).feasible());
    WideSearch search(table, options, {3, {}, {{0, 1}}, 0});
    CHECK(!search.start_from({{0, 1}}));
    CHECK(search.start_from({{0, 2}}));
}

void stops_when_asked() {
    const CodedTable table = chained_table(11, 2000, 100);
    const TermStore store({}, table.rows);
    RegionTask task;
    for (int i = 0; i < 100; ++i) task.variables.push_back(i);
    task.annealing = {1'000'000'000, 10, 1};
    Control control;
    std::thread watcher([&] {
        std::this_thread::sleep_for(std::chrono::milliseconds(20));
        control.stop = true;
    });
    std::atomic<int> stopped{0};
    bool left = false;
    try {
        parallel_for(3, 3, [&](std::size_t) {
            try {
                improve_region(table, store, task, control);
            } catch (const Stopped&) {
                ++stopped;
                throw;
            }
        });
    } catch (const Stopped&) {
        left = true;
    }
    watcher.join();
    CHECK(left && stopped > 0);
}

}  // namespace

int main() {
    masks_are_sets();
    completions_are_chordal_and_have_junction_forests();
    pairs_gain_what_their_scores_say();
    exact_regions_are_optimal();
    impossible_regions_are_refused();
    scores_of_a_search_are_true();
    a_search_goes_on_from_its_state();
    answers_to_other_regions_are_refused();
    constraints_may_leave_nothing();
    stops_when_asked();
}
