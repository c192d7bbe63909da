#include <nanobind/nanobind.h>
#include <nanobind/stl/optional.h>
#include <nanobind/stl/pair.h>
#include <nanobind/stl/tuple.h>
#include <nanobind/stl/vector.h>

#include <cstdint>
#include <memory>
#include <string>
#include <tuple>
#include <typeinfo>
#include <utility>
#include <vector>

#include "bindings/arrays.hpp"
#include "bindings/bind.hpp"
#include "bindings/scorer.hpp"
#include "large/wide_search.hpp"

namespace nb = nanobind;
using namespace nb::literals;
using namespace chordlearn;

namespace {

using GivenEdges = nb::ndarray<const std::int32_t, nb::shape<-1, 2>, nb::c_contig, nb::device::cpu>;
using Indices = Array<std::int32_t>;
using Edges = nb::ndarray<nb::numpy, std::int32_t, nb::shape<-1, 2>>;
// Of a region: variables, edges there are, required and forbidden ones, max_clique, moves, hot, cold, seed.
using Task = std::tuple<Indices, Edges, Edges, Edges, int, std::uint64_t, double, double, std::uint64_t>;
using State = nb::typed<nb::dict, nb::str, nb::any>;

Edges edge_array(const EdgeList& edges) {
    std::unique_ptr<std::int32_t[]> values(new std::int32_t[2 * edges.size()]);
    for (std::size_t k = 0; k < edges.size(); ++k) {
        values[2 * k] = edges[k].first;
        values[2 * k + 1] = edges[k].second;
    }
    nb::capsule owner(values.get(), [](void* data) noexcept { delete[] static_cast<std::int32_t*>(data); });
    return Edges(values.release(), {edges.size(), 2}, owner);
}

EdgeList edges_from(const GivenEdges& given) {
    EdgeList edges;
    for (std::size_t k = 0; k < given.shape(0); ++k) edges.emplace_back(given.data()[2 * k], given.data()[2 * k + 1]);
    return edges;
}

template <class Value>
std::vector<Value> list_from(const GivenArray<Value>& given) {
    return {given.data(), given.data() + given.size()};
}

Task task_to_python(const RegionTask& task) {
    const Annealing& annealing = task.annealing;
    return {to_array<std::int32_t>(task.variables),
            edge_array(task.present),
            edge_array(task.required),
            edge_array(task.forbidden),
            task.max_clique,
            annealing.moves,
            annealing.hot,
            annealing.cold,
            task.seed};
}

State state_to_python(const WideState& state) {
    State plain{nb::dict()};
    plain["edges"] = edge_array(state.edges);
    plain["score"] = state.score;
    plain["typical_gain"] = state.typical_gain;
    plain["random"] = state.random;
    plain["part_size"] = state.part_size;
    plain["failures"] = state.failures;
    plain["level"] = state.level;
    plain["ended"] = state.ended;
    plain["solved"] = to_array<std::uint64_t>(state.solved);
    return plain;
}

template <class Value>
Value value_of(const State& plain, const char* name) {
    try {
        return nb::cast<Value>(plain[name]);
    } catch (const std::bad_cast&) {
        throw nb::type_error((std::string("its ") + name + " is of the wrong type").c_str());
    }
}

WideState state_from(const State& plain) {
    WideState state;
    state.edges = edges_from(value_of<GivenEdges>(plain, "edges"));
    state.score = value_of<double>(plain, "score");
    state.typical_gain = value_of<double>(plain, "typical_gain");
    state.random = value_of<std::uint64_t>(plain, "random");
    state.part_size = value_of<int>(plain, "part_size");
    state.failures = value_of<int>(plain, "failures");
    state.level = value_of<int>(plain, "level");
    state.ended = value_of<bool>(plain, "ended");
    state.solved = list_from(value_of<GivenArray<std::uint64_t>>(plain, "solved"));
    return state;
}

}  // namespace

void bind_wide(nb::module_& m) {
    nb::class_<WideSearch>(m, "WideSearch", "Search in steps, for any number of variables.")
        .def(
            "__init__",
            [](WideSearch* self, const Scorer& scorer, int max_clique, const EdgeList& required,
               const EdgeList& forbidden, std::uint64_t seed) {
                new (self) WideSearch(scorer.table(), scorer.options(), {max_clique, required, forbidden, seed});
            },
            nb::keep_alive<1, 2>(), "scorer"_a, "max_clique"_a, "required"_a, "forbidden"_a, "seed"_a,
            nb::call_guard<nb::gil_scoped_release>())
        .def_prop_ro("feasible", &WideSearch::feasible)
        .def("start", &WideSearch::start, "threads"_a, "control"_a, nb::call_guard<nb::gil_scoped_release>(),
             "The best forest around the required edges.")
        .def("start_from", &WideSearch::start_from, "edges"_a, nb::call_guard<nb::gil_scoped_release>(),
             "The edges and the required ones, made chordal; False if the constraints do not let that be.")
        .def(
            "propose",
            [](WideSearch& search) {
                std::vector<RegionTask> wave;
                {
                    nb::gil_scoped_release unlocked;
                    wave = search.propose();
                }
                std::vector<Task> tasks;
                for (const RegionTask& task : wave) tasks.push_back(task_to_python(task));
                return tasks;
            },
            "The next wave: the arguments of improve_region for each region.")
        .def(
            "accept",
            [](WideSearch& search,
               const std::vector<std::optional<std::tuple<GivenArray<std::int32_t>, GivenEdges, double>>>& given) {
                std::vector<std::optional<RegionChange>> changes(given.size());
                for (std::size_t k = 0; k < given.size(); ++k) {
                    if (!given[k]) continue;
                    const auto& [variables, edges, gain] = *given[k];
                    changes[k] = RegionChange{list_from(variables), edges_from(edges), gain};
                }
                nb::gil_scoped_release unlocked;
                search.accept(changes);
            },
            "changes"_a, "What improving the regions of the last wave gave, in the same order.")
        .def_prop_ro("ended", &WideSearch::ended, "Nothing to gain was found for long.")
        .def_prop_ro("score", &WideSearch::score, "Of the network, by adding up gains.")
        .def(
            "best",
            [](const WideSearch& search) {
                double score = 0;
                {
                    nb::gil_scoped_release unlocked;
                    score = search.exact_score();
                }
                return std::pair(score, edge_array(search.edges()));
            },
            "The network, scored anew: score and edges.")
        .def(
            "state", [](const WideSearch& search) { return state_to_python(search.state()); },
            "All that the search goes by between two waves, as plain values.")
        .def(
            "restore", [](WideSearch& search, const State& state) { search.restore(state_from(state)); }, "state"_a,
            "Go on from a state.");

    m.def(
        "improve_region",
        [](const Scorer& scorer, const GivenArray<std::int32_t>& variables, const GivenEdges& present,
           const GivenEdges& required, const GivenEdges& forbidden, int max_clique, std::uint64_t moves, double hot,
           double cold, std::uint64_t seed, Control& control) -> std::optional<std::tuple<Indices, Edges, double>> {
            const RegionTask task{list_from(variables),
                                  edges_from(present),
                                  edges_from(required),
                                  edges_from(forbidden),
                                  max_clique,
                                  {moves, hot, cold},
                                  seed};
            std::optional<RegionChange> change;
            {
                nb::gil_scoped_release unlocked;
                change = improve_region(scorer.table(), scorer.terms(), task, control);
            }
            if (!change) return std::nullopt;
            return std::tuple(to_array<std::int32_t>(change->variables), edge_array(change->edges), change->gain);
        },
        "scorer"_a, "variables"_a, "present"_a, "required"_a, "forbidden"_a, "max_clique"_a, "moves"_a, "hot"_a,
        "cold"_a, "seed"_a, "control"_a,
        "A better graph on the variables of a region: variables, edges and gain; or None.");
}
