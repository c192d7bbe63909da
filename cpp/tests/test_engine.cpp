#include <cmath>
#include <random>
#include <stdexcept>

#include "check.hpp"
#include "engine/dense.hpp"
#include "engine/exhaustive.hpp"
#include "engine/pruned.hpp"
#include "engine/search.hpp"
#include "engine/simplest.hpp"
#include "engine/top.hpp"

using namespace chordlearn;

namespace {

struct Problem {
    explicit Problem(int n, std::uint64_t seed) : values(std::size_t{1} << n) {
        std::mt19937_64 engine(seed);
        std::uniform_real_distribution<double> score(-10, 10);
        for (double& value : values) value = score(engine);
        values[0] = 0;
        instance.n = n;
        instance.v = values.data();
        instance.required.assign(n, 0);
    }
    std::vector<double> values;
    Instance instance;
};

void chordality() {
    CHECK(is_chordal({0b0110, 0b1101, 0b1011, 0b0110}));   // a square with a diagonal
    CHECK(!is_chordal({0b1010, 0b0101, 0b1010, 0b0101}));  // without
    const Graph path = {0b010, 0b101, 0b010};
    CHECK((maximal_cliques(path) == std::vector<Set>{0b011, 0b110}));
    CHECK(graph_of_cliques(3, {0b011, 0b110}) == path);
}

void programs_agree_with_brute_force() {
    for (int n = 2; n <= 5; ++n)
        for (std::uint64_t seed = 0; seed < 10; ++seed) {
            Problem problem(n, 100 * n + seed);
            if (seed % 3 == 0) problem.instance.required[0] = 0b10, problem.instance.required[1] = 0b01;
            Control control;
            const auto best = solve_exhaustive(problem.instance, 3, control).best;
            Relaxation relaxation(problem.instance, 2);
            relaxation.tighten(best.back().score - 1e-6, control);
            const int root = choose_root(relaxation);
            const States states = find_states(relaxation, root, problem.instance.required, 1 << 20, control);
            CHECK(std::abs(solve_states(relaxation, states, 2, control).score - best[0].score) < 1e-9);
            const BestAndSecond two = solve_states_two(relaxation, states, 2, control);
            CHECK(std::abs(two.best.score - best[0].score) < 1e-9);
            CHECK(best.size() < 2 || std::abs(two.second - best[1].score) < 1e-9);
            const auto top = solve_states_top(relaxation, states, static_cast<int>(best.size()), 2, control);
            CHECK(top.size() == best.size());
            for (std::size_t k = 0; k < top.size(); ++k) CHECK(std::abs(top[k].score - best[k].score) < 1e-9);
            if (n >= 4) CHECK(std::abs(solve_dense(relaxation, root, 2, control).network.score - best[0].score) < 1e-9);
        }
}

void the_simplest_of_those_that_tie() {
    for (int n = 2; n <= 5; ++n)
        for (std::uint64_t seed = 0; seed < 20; ++seed) {
            Problem problem(n, 1000 * n + seed);
            // Whole numbers tie often, and noise must not separate them.
            for (double& value : problem.values) value = std::round(value / 5) + 1e-11 * value;
            problem.values[0] = 0;
            Control control;
            const double least = solve_exhaustive(problem.instance, 1, control).best.front().score - 1e-6;
            const Ranked expected = simplest_exhaustive(problem.instance, least, control);
            Relaxation relaxation(problem.instance, 2);
            relaxation.tighten(least, control);
            const States states =
                find_states(relaxation, choose_root(relaxation), problem.instance.required, 1 << 20, control);
            const Simplest found = solve_states_simplest(relaxation, states, {1e-8, 2e-6}, 2, control);
            CHECK(found.certain);
            CHECK(maximal_cliques(found.network.graph) == expected.cliques);
        }
}

void search_is_reproducible() {
    Problem problem(9, 1);
    std::vector<double> scores;
    for (int threads : {1, 2}) {
        Control control;
        SearchOptions options;
        options.moves = 5000;
        options.threads = threads;
        options.seed = 4;
        scores.push_back(search_networks(problem.instance, options, control).front().score);
    }
    CHECK(scores[0] == scores[1]);
}

void stopping_is_obeyed() {
    Problem problem(10, 2);
    Control control;
    control.stop = true;
    Relaxation relaxation(problem.instance, 1);
    bool stopped = false;
    try {
        relaxation.tighten(0, control);
    } catch (const Stopped&) {
        stopped = true;
    }
    CHECK(stopped);
}

void no_lower_bound_is_no_bound() {
    Problem problem(4, 3);
    Control control;
    for (const double lower : {kMinusInfinity, std::nan("")}) {
        Relaxation relaxation(problem.instance, 1);
        bool refused = false;
        try {
            relaxation.tighten(lower, control);
        } catch (const std::invalid_argument&) {
            refused = true;
        }
        CHECK(refused);
    }
    Relaxation relaxation(problem.instance, 1);
    relaxation.tighten(-1e300, control);
    CHECK(relaxation.kept() == relaxation.allowed());
}

}  // namespace

int main() {
    chordality();
    programs_agree_with_brute_force();
    the_simplest_of_those_that_tie();
    search_is_reproducible();
    stopping_is_obeyed();
    no_lower_bound_is_no_bound();
}
