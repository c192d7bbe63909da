#include <nanobind/stl/optional.h>
#include <nanobind/stl/pair.h>
#include <nanobind/stl/unique_ptr.h>
#include <nanobind/stl/vector.h>

#include <bit>
#include <cmath>
#include <memory>
#include <optional>
#include <stdexcept>

#include "bindings/arrays.hpp"
#include "bindings/bind.hpp"
#include "bindings/scorer.hpp"
#include "engine/relaxation.hpp"
#include "engine/states.hpp"
#include "posterior/edge_chain.hpp"
#include "posterior/kept_sums.hpp"
#include "posterior/network_draws.hpp"
#include "posterior/network_sums.hpp"
#include "scoring/some_sets.hpp"

namespace nb = nanobind;
using namespace nb::literals;
using namespace chordlearn;

namespace {

using Values = GivenArray<double>;
using Edges = std::vector<std::pair<int, int>>;
using Bounded = std::pair<double, double>;  // a number and by how much it may be off

Instance scored_instance(const Values& values, const Edges& required, int most) {
    Instance instance;
    instance.n = std::countr_zero(values.size());
    instance.v = values.data();
    if (values.size() != std::size_t{1} << instance.n || instance.n < 1 || instance.n > most)
        throw nb::value_error("values must have 2**n entries, and n must not be too large");
    instance.required.assign(instance.n, 0);
    for (const auto& [a, b] : required) {
        if (a < 0 || b < 0 || a >= instance.n || b >= instance.n || a == b)
            throw std::out_of_range("no such pair of variables");
        instance.required[a] |= single(b);
        instance.required[b] |= single(a);
    }
    return instance;
}

Instance instance_of(const Values& values, const Edges& required) {
    return scored_instance(values, required, NetworkSums::kMostVariables);
}

// The scores are kept as long as the relaxation.
struct KeptStates {
    KeptStates(const Values& values, const Edges& required, int threads)
        : held(values), instance(scored_instance(values, required, 30)), relaxation(instance, threads) {}

    std::optional<std::uint64_t> find(double lower, int iterations, std::uint64_t most, Control& control) {
        relaxation.tighten(lower, control);
        if (iterations > 0) relaxation.tighten_lagrangian(lower, iterations, control);
        states = find_states(relaxation, 31, instance.required, most, control);
        if (!states.complete) return std::nullopt;
        return states.count;
    }
    double cells() const {
        double sum = 0;
        for (const auto& clique : states.cliques)
            sum += std::ldexp(static_cast<double>(clique.hung.size()), size(clique.set));
        return sum;
    }

    Values held;
    Instance instance;
    Relaxation relaxation;
    States states;
};

Bounded bounded(const Probability& p) { return {p.value, p.error}; }

void check_set(const NetworkSums& sums, Set set) {
    if (set & ~below(sums.n())) throw std::out_of_range("no such set of variables");
}

EdgeChain::Score scores_of(const Values& values) {
    return [values](const std::vector<int>& variables) {
        Set set = 0;
        for (int i : variables) set |= single(i);
        return values.data()[set];
    };
}

EdgeChain::Score scores_of(const Scorer& scorer) {
    const auto of_sets = std::make_shared<SetScorer>(scorer.table(), scorer.options());
    return [of_sets](const std::vector<int>& variables) { return of_sets->score(variables); };
}

int variables_of(const Values& values) { return std::countr_zero(values.size()); }
int variables_of(const Scorer& scorer) { return scorer.table().variables(); }

template <class Source>
void make_chain(EdgeChain* self, const Source& source, int max_clique, const EdgeList& required,
                const EdgeList& forbidden, const EdgeList& start, std::uint64_t seed) {
    const int n = variables_of(source);
    graph_of(n, required);
    graph_of(n, forbidden);
    new (self) EdgeChain(scores_of(source), {max_clique, required, forbidden}, graph_of(n, start), seed);
}

}  // namespace

void bind_posterior(nb::module_& m) {
    nb::class_<NetworkSums>(m, "NetworkSums", "Sums of the weights of all chordal graphs, each counted once.")
        .def(
            "__init__",
            [](NetworkSums* self, const Values& values, const Edges& required, int threads, Control& control) {
                const Instance instance = instance_of(values, required);
                nb::gil_scoped_release release;
                new (self) NetworkSums(instance, threads, control);
            },
            "values"_a, "required"_a, "threads"_a, "control"_a)
        .def_static("bytes_needed", &NetworkSums::bytes_needed, "n"_a, "threads"_a)
        .def_static("work", &NetworkSums::work, "n"_a, "What the control's count ends with.")
        .def_prop_ro(
            "log_total", [](const NetworkSums& sums) { return bounded(sums.log_total()); },
            "The logarithm of the sum over all graphs, and by how much it may be off.")
        .def(
            "complete",
            [](const NetworkSums& sums, Set set) {
                check_set(sums, set);
                return bounded(sums.complete(set));
            },
            "set"_a, "The probability that a set is complete, and by how much it may be off.")
        .def(
            "separated_by_complete",
            [](const NetworkSums& sums, int a, int b, Set set) {
                check_set(sums, set | single(a) | single(b));
                if (a == b || (set & (single(a) | single(b)))) throw std::out_of_range("no such pair of variables");
                return bounded(sums.separated_by_complete(a, b, set));
            },
            "a"_a, "b"_a, "set"_a, "The probability that a set is complete and separates a from b.");
    nb::class_<NetworkDraws>(m, "NetworkDraws", "Draws networks from their sums.")
        .def(nb::init<const NetworkSums&>(), "sums"_a, nb::keep_alive<1, 2>())
        .def(
            "draw",
            [](NetworkDraws& draws, std::uint64_t seed, std::uint64_t first, std::uint64_t count, Control& control) {
                std::vector<std::vector<Set>> networks;
                for (std::uint64_t k = 0; k < count; ++k) {
                    networks.push_back(maximal_cliques(draws.draw(seed, first + k, control)));
                    ++control.done;
                }
                return networks;
            },
            "seed"_a, "first"_a, "count"_a, "control"_a, nb::call_guard<nb::gil_scoped_release>(),
            "The cliques of networks; each depends on the seed and its number alone.");
    nb::class_<KeptSums>(m, "KeptSums", "Sums of the weights of the chordal graphs whose states were kept.")
        .def_prop_ro("log_total", &KeptSums::log_total)
        .def_prop_ro("rounding", &KeptSums::rounding, "A relative bound of what rounding did to a sum.")
        .def(
            "share", [](const KeptSums& sums, Set set) { return sums.share(set); }, "set"_a,
            "Of the sum, that of the graphs in which a set is complete.")
        .def(
            "draw",
            [](const KeptSums& sums, std::uint64_t seed, std::uint64_t first, std::uint64_t count, Control& control) {
                std::vector<std::vector<Set>> networks;
                for (std::uint64_t k = 0; k < count; ++k) {
                    control.check();
                    networks.push_back(maximal_cliques(sums.draw(seed, first + k)));
                    ++control.done;
                }
                return networks;
            },
            "seed"_a, "first"_a, "count"_a, "control"_a, nb::call_guard<nb::gil_scoped_release>());
    nb::class_<KeptStates>(m, "KeptStates", "The states of all networks that score more than a bound.")
        .def(nb::init<const Values&, const Edges&, int>(), "values"_a, "required"_a, "threads"_a)
        .def("find", &KeptStates::find, "lower"_a, "iterations"_a, "most"_a, "control"_a,
             nb::call_guard<nb::gil_scoped_release>(),
             "How many states there are above a lower bound; None if more than so many.")
        .def_prop_ro("cells", &KeptStates::cells, "Of three numbers each, which the sums need.")
        .def(
            "sum",
            [](const KeptStates& states, const Values& values, int threads, Control& control) {
                const Instance instance = scored_instance(values, {}, 30);
                nb::gil_scoped_release release;
                return std::make_unique<KeptSums>(instance, states.states, threads, control);
            },
            "values"_a, "threads"_a, "control"_a, "Sum weights, by the scores themselves, which may be others.");
    nb::class_<EdgeChain>(m, "EdgeChain", "A Markov chain over chordal graphs, of single edges that come and go.")
        .def("__init__", &make_chain<Scorer>, "scorer"_a, "max_clique"_a, "required"_a, "forbidden"_a, "start"_a,
             "seed"_a, nb::keep_alive<1, 2>())
        .def("__init__", &make_chain<Values>, "values"_a, "max_clique"_a, "required"_a, "forbidden"_a, "start"_a,
             "seed"_a)
        .def(
            "run",
            [](EdgeChain& chain, std::uint64_t moves, const Control& control) {
                std::vector<double> shares;
                {
                    nb::gil_scoped_release release;
                    shares = chain.run(moves, control);
                }
                return to_array<double>(shares);
            },
            "moves"_a, "control"_a, "How much of the time each pair was an edge: 0-1, 0-2, 1-2, 0-3, …")
        .def("set_heat", &EdgeChain::set_heat, "heat"_a, "Weights are taken to the power of 1/heat.")
        .def_prop_ro("steepest", &EdgeChain::steepest, "The largest gain of joining two variables.")
        .def_prop_ro("edges", &EdgeChain::edges)
        .def_prop_ro("toggles", &EdgeChain::toggles, "How many edges came or went by themselves.")
        .def_prop_ro("blocks", &EdgeChain::blocks, "How often the graph on a few variables was drawn anew.");
}
