#include <nanobind/nanobind.h>
#include <nanobind/ndarray.h>
#include <nanobind/stl/optional.h>
#include <nanobind/stl/pair.h>
#include <nanobind/stl/tuple.h>
#include <nanobind/stl/vector.h>

#include <cstdint>
#include <memory>
#include <string>
#include <typeinfo>
#include <vector>

#include "bindings/bind.hpp"
#include "bindings/scorer.hpp"
#include "large/wide_search.hpp"

namespace nb = nanobind;
using namespace nb::literals;
using namespace chordlearn;

namespace {

using GivenEdges = nb::ndarray<const std::int32_t, nb::shape<-1, 2>, nb::c_contig, nb::device::cpu>;
template <class Value>
using GivenList = nb::ndarray<const Value, nb::ndim<1>, nb::c_contig, nb::device::cpu>;

template <class Value>
nb::object to_numpy(std::unique_ptr<Value[]> values, std::initializer_list<std::size_t> shape) {
    nb::capsule owner(values.get(), [](void* data) noexcept { delete[] static_cast<Value*>(data); });
    return nb::ndarray<nb::numpy, Value>(values.release(), shape, owner).cast();
}

template <class Value, class Source>
nb::object list_to_numpy(const std::vector<Source>& list) {
    std::unique_ptr<Value[]> values(new Value[list.size()]);
    std::copy(list.begin(), list.end(), values.get());
    return to_numpy(std::move(values), {list.size()});
}

nb::object edges_to_numpy(const EdgeList& edges) {
    std::unique_ptr<std::int32_t[]> values(new std::int32_t[2 * edges.size()]);
    for (std::size_t k = 0; k < edges.size(); ++k) {
        values[2 * k] = edges[k].first;
        values[2 * k + 1] = edges[k].second;
    }
    return to_numpy(std::move(values), {edges.size(), 2});
}

EdgeList edges_from(const GivenEdges& given) {
    EdgeList edges;
    for (std::size_t k = 0; k < given.shape(0); ++k) edges.emplace_back(given.data()[2 * k], given.data()[2 * k + 1]);
    return edges;
}

template <class Value>
std::vector<Value> list_from(const GivenList<Value>& given) {
    return {given.data(), given.data() + given.size()};
}

nb::tuple task_to_python(const RegionTask& task) {
    return nb::make_tuple(list_to_numpy<std::int32_t>(task.variables), edges_to_numpy(task.present),
                          edges_to_numpy(task.required), edges_to_numpy(task.forbidden), task.max_clique, task.annealing.moves, task.annealing.hot,
                          task.annealing.cold, task.seed);
}

nb::dict state_to_python(const WideState& state) {
    nb::dict plain;
    plain["edges"] = edges_to_numpy(state.edges);
    plain["score"] = state.score;
    plain["typical_gain"] = state.typical_gain;
    plain["random"] = state.random;
    plain["part_size"] = state.part_size;
    plain["failures"] = state.failures;
    plain["level"] = state.level;
    plain["ended"] = state.ended;
    plain["solved"] = list_to_numpy<std::uint64_t>(state.solved);
    return plain;
}

template <class Value>
Value value_of(const nb::dict& plain, const char* name) {
    try {
        return nb::cast<Value>(plain[name]);
    } catch (const std::bad_cast&) {
        throw nb::type_error((std::string("its ") + name + " is of the wrong type").c_str());
    }
}

WideState state_from(const nb::dict& plain) {
    WideState state;
    state.edges = edges_from(value_of<GivenEdges>(plain, "edges"));
    state.score = value_of<double>(plain, "score");
    state.typical_gain = value_of<double>(plain, "typical_gain");
    state.random = value_of<std::uint64_t>(plain, "random");
    state.part_size = value_of<int>(plain, "part_size");
    state.failures = value_of<int>(plain, "failures");
    state.level = value_of<int>(plain, "level");
    state.ended = value_of<bool>(plain, "ended");
    state.solved = list_from(value_of<GivenList<std::uint64_t>>(plain, "solved"));
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
                nb::list tasks;
                for (const RegionTask& task : wave) tasks.append(task_to_python(task));
                return tasks;
            },
            "The next wave: the arguments of improve_region for each region.")
        .def(
            "accept",
            [](WideSearch& search,
               const std::vector<std::optional<std::tuple<GivenList<std::int32_t>, GivenEdges, double>>>& given) {
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
                return nb::make_tuple(score, edges_to_numpy(search.edges()));
            },
            "The network, scored anew: score and edges.")
        .def("state", [](const WideSearch& search) { return state_to_python(search.state()); },
             "All that the search goes by between two waves, as plain values.")
        .def("restore", [](WideSearch& search, const nb::dict& state) { search.restore(state_from(state)); },
             "state"_a, "Go on from a state.");

    m.def(
        "improve_region",
        [](const Scorer& scorer, const GivenList<std::int32_t>& variables, const GivenEdges& present,
           const GivenEdges& required, const GivenEdges& forbidden, int max_clique, std::uint64_t moves,
           double hot, double cold, std::uint64_t seed, Control& control) -> nb::object {
            const RegionTask task{list_from(variables), edges_from(present), edges_from(required),
                                  edges_from(forbidden), max_clique, {moves, hot, cold}, seed};
            std::optional<RegionChange> change;
            {
                nb::gil_scoped_release unlocked;
                change = improve_region(scorer.table(), scorer.terms(), task, control);
            }
            if (!change) return nb::none();
            return nb::make_tuple(list_to_numpy<std::int32_t>(change->variables), edges_to_numpy(change->edges),
                                  change->gain);
        },
        "scorer"_a, "variables"_a, "present"_a, "required"_a, "forbidden"_a, "max_clique"_a, "moves"_a, "hot"_a, "cold"_a,
        "seed"_a, "control"_a, "A better graph on the variables of a region: variables, edges and gain; or None.");
}
