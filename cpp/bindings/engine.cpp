#include <nanobind/stl/pair.h>
#include <nanobind/stl/vector.h>

#include <stdexcept>

#include "bindings/arrays.hpp"
#include "bindings/bind.hpp"
#include "common/control.hpp"
#include "engine/dense.hpp"
#include "engine/exhaustive.hpp"
#include "engine/pruned.hpp"
#include "engine/search.hpp"
#include "engine/simplest.hpp"
#include "engine/top.hpp"

namespace nb = nanobind;
using namespace nb::literals;
using namespace chordlearn;

namespace {

using Values = GivenArray<double>;
using Edges = std::vector<std::pair<int, int>>;
using Scored = std::pair<double, std::vector<Set>>;  // a network: score and cliques

void check_pairs(const Edges& pairs, int n) {
    for (const auto& [a, b] : pairs)
        if (a < 0 || b < 0 || a >= n || b >= n || a == b) throw std::out_of_range("no such pair of variables");
}

Instance make_instance(const Values& values, const Edges& required) {
    Instance instance;
    instance.n = std::countr_zero(values.size());
    instance.v = values.data();
    if (values.size() != std::size_t{1} << instance.n || instance.n < 1 || instance.n > 30)
        throw nb::value_error("values must have 2**n entries with n from 1 to 30");
    instance.required.assign(instance.n, 0);
    check_pairs(required, instance.n);
    for (const auto& [a, b] : required) {
        instance.required[a] |= single(b);
        instance.required[b] |= single(a);
    }
    return instance;
}

Scored scored(const Network& network) { return {network.score, maximal_cliques(network.graph)}; }

// Keeps the array of scores alive as long as the relaxation.
struct HeldRelaxation {
    HeldRelaxation(Values values, const Edges& required, int threads)
        : held(values), relaxation(make_instance(values, required), threads) {}
    Values held;
    Relaxation relaxation;
};

}  // namespace

void bind_engine(nb::module_& m) {
    m.def(
        "exhaustive",
        [](const Values& values, const Edges& required, int top, const Control& control) {
            const Instance instance = make_instance(values, required);
            ExhaustiveResult result;
            {
                nb::gil_scoped_release release;
                result = solve_exhaustive(instance, top, control);
            }
            std::vector<Scored> best;
            for (const Ranked& ranked : result.best) best.emplace_back(ranked.score, ranked.cliques);
            return std::pair(result.chordal_graphs, best);
        },
        "values"_a, "required"_a, "top"_a, "control"_a);
    m.def(
        "exhaustive_simplest",
        [](const Values& values, const Edges& required, double least, const Control& control) {
            const Instance instance = make_instance(values, required);
            Ranked found;
            {
                nb::gil_scoped_release release;
                found = simplest_exhaustive(instance, least, control);
            }
            return Scored{found.score, found.cliques};
        },
        "values"_a, "required"_a, "least"_a, "control"_a);

    m.def(
        "search",
        [](const Values& values, const Edges& required, int restarts, std::uint64_t moves, std::uint64_t seed,
           int threads, int keep, int neighbourhood, int patience, Control& control,
           const std::vector<std::vector<Set>>& starts) {
            const Instance instance = make_instance(values, required);
            std::vector<Scored> best;
            {
                nb::gil_scoped_release release;
                std::vector<Network> first;
                for (const auto& cliques : starts) {
                    Network network{0, graph_of_cliques(instance.n, cliques)};
                    network.score = graph_score(network.graph, instance.v);
                    first.push_back(std::move(network));
                }
                const SearchOptions options{restarts, moves, seed, threads, keep, neighbourhood, patience};
                for (const Network& network : search_networks(instance, options, control, first))
                    best.push_back(scored(network));
            }
            return best;
        },
        "values"_a, "required"_a, "restarts"_a, "moves"_a, "seed"_a, "threads"_a, "keep"_a, "neighbourhood"_a,
        "patience"_a, "control"_a, "starts"_a = std::vector<std::vector<Set>>{});

    nb::class_<States>(m, "States", "States of the drop/add/split program that may matter.")
        .def_ro("count", &States::count)
        .def_ro("complete", &States::complete)
        .def_ro("root", &States::root);

    nb::class_<HeldRelaxation>(m, "Relaxation", "The DAG relaxation and the sets it leaves.")
        .def(nb::init<Values, const Edges&, int>(), "values"_a, "required"_a, "threads"_a,
             nb::call_guard<nb::gil_scoped_release>())
        .def_static("bytes_needed", &Relaxation::bytes_needed, "n"_a)
        .def(
            "tighten", [](HeldRelaxation& r, double lower, Control& c) { return r.relaxation.tighten(lower, c); },
            "lower"_a, "control"_a, nb::call_guard<nb::gil_scoped_release>())
        .def(
            "tighten_lagrangian",
            [](HeldRelaxation& r, double lower, int iterations, Control& c) {
                return r.relaxation.tighten_lagrangian(lower, iterations, c);
            },
            "lower"_a, "iterations"_a, "control"_a, nb::call_guard<nb::gil_scoped_release>())
        .def("snapshot", [](const HeldRelaxation& r) { return to_array<std::uint8_t>(r.relaxation.snapshot()); })
        .def(
            "restore",
            [](HeldRelaxation& r, const GivenArray<std::uint8_t>& kept) {
                if (kept.size() != std::size_t{1} << r.relaxation.instance().n)
                    throw nb::value_error("there must be as many marks as sets");
                r.relaxation.restore({kept.data(), kept.data() + kept.size()});
            },
            "kept"_a)
        .def_prop_ro("kept", [](const HeldRelaxation& r) { return r.relaxation.kept(); })
        .def_prop_ro("allowed", [](const HeldRelaxation& r) { return r.relaxation.allowed(); })
        .def_prop_ro("bound", [](const HeldRelaxation& r) { return r.relaxation.bound(); })
        .def_prop_ro("lower", [](const HeldRelaxation& r) { return r.relaxation.lower(); })
        .def_prop_ro("best_parts", [](const HeldRelaxation& r) { return r.relaxation.best_parts(); })
        .def_prop_ro("step", [](const HeldRelaxation& r) { return r.relaxation.step(); })
        .def("kept_sets", [](const HeldRelaxation& r) { return to_array<Set>(r.relaxation.kept_sets()); })
        .def(
            "bound_with",
            [](const HeldRelaxation& r, Set set) {
                if (set & ~r.relaxation.instance().all()) throw std::out_of_range("no such set of variables");
                return r.relaxation.bound_with(set);
            },
            "set"_a)
        .def(
            "bound_without",
            [](const HeldRelaxation& r, int a, int b) {
                check_pairs({{a, b}}, r.relaxation.instance().n);
                return r.relaxation.bound_without(a, b);
            },
            "a"_a, "b"_a, nb::call_guard<nb::gil_scoped_release>())
        .def(
            "forced_edges",
            [](const HeldRelaxation& r, const Edges& among, const Control& c) {
                check_pairs(among, r.relaxation.instance().n);
                return r.relaxation.forced_edges(among, c);
            },
            "among"_a, "control"_a, nb::call_guard<nb::gil_scoped_release>())
        .def(
            "states",
            [](const HeldRelaxation& r, const Edges& forced, std::uint64_t most, const Control& c) {
                check_pairs(forced, r.relaxation.instance().n);
                std::vector<Set> tied = r.relaxation.instance().required;
                for (const auto& [a, b] : forced) {
                    tied[a] |= single(b);
                    tied[b] |= single(a);
                }
                return find_states(r.relaxation, choose_root(r.relaxation), tied, most, c);
            },
            "forced"_a, "most"_a, "control"_a, nb::call_guard<nb::gil_scoped_release>())
        .def(
            "solve",
            [](const HeldRelaxation& r, const States& states, int threads, Control& c) {
                Network network;
                {
                    nb::gil_scoped_release release;
                    network = solve_states(r.relaxation, states, threads, c);
                }
                return scored(network);
            },
            "states"_a, "threads"_a, "control"_a)
        .def(
            "solve_two",
            [](const HeldRelaxation& r, const States& states, int threads, Control& c) {
                BestAndSecond found;
                {
                    nb::gil_scoped_release release;
                    found = solve_states_two(r.relaxation, states, threads, c);
                }
                return std::pair(scored(found.best), found.second);
            },
            "states"_a, "threads"_a, "control"_a)
        .def(
            "solve_simplest",
            [](const HeldRelaxation& r, const States& states, double equal, double near, int threads, Control& c) {
                Simplest found;
                {
                    nb::gil_scoped_release release;
                    found = solve_states_simplest(r.relaxation, states, {equal, near}, threads, c);
                }
                return std::pair(scored(found.network), found.certain);
            },
            "states"_a, "equal"_a, "near"_a, "threads"_a, "control"_a)
        .def(
            "solve_top",
            [](const HeldRelaxation& r, const States& states, int count, int threads, Control& c) {
                std::vector<Scored> networks;
                {
                    nb::gil_scoped_release release;
                    for (const Network& network : solve_states_top(r.relaxation, states, count, threads, c))
                        networks.push_back(scored(network));
                }
                return networks;
            },
            "states"_a, "count"_a, "threads"_a, "control"_a);
    m.def(
        "solve_dense",
        [](const HeldRelaxation& r, int threads, Control& c) {
            DenseResult result;
            {
                nb::gil_scoped_release release;
                result = solve_dense(r.relaxation, choose_root(r.relaxation), threads, c);
            }
            return std::pair(scored(result.network), result.bound);
        },
        "relaxation"_a, "threads"_a, "control"_a);
    m.def("bytes_for_dense", &bytes_for_dense, "n"_a);
    m.def("bytes_for_states", &bytes_for_states, "states"_a);
    m.def("bytes_for_states_top", &bytes_for_states_top, "states"_a, "count"_a);
}
