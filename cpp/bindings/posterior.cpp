#include <nanobind/stl/pair.h>
#include <nanobind/stl/vector.h>

#include <bit>
#include <memory>
#include <stdexcept>

#include "bindings/arrays.hpp"
#include "bindings/bind.hpp"
#include "bindings/scorer.hpp"
#include "posterior/edge_chain.hpp"
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

Instance instance_of(const Values& values, const Edges& required) {
    Instance instance;
    instance.n = std::countr_zero(values.size());
    instance.v = values.data();
    if (values.size() != std::size_t{1} << instance.n || instance.n < 1 || instance.n > NetworkSums::kMostVariables)
        throw nb::value_error("values must have 2**n entries with n from 1 to 20");
    instance.required.assign(instance.n, 0);
    for (const auto& [a, b] : required) {
        if (a < 0 || b < 0 || a >= instance.n || b >= instance.n || a == b)
            throw std::out_of_range("no such pair of variables");
        instance.required[a] |= single(b);
        instance.required[b] |= single(a);
    }
    return instance;
}

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
        .def_prop_ro("edges", &EdgeChain::edges)
        .def_prop_ro("toggles", &EdgeChain::toggles, "How many edges came or went by themselves.")
        .def_prop_ro("blocks", &EdgeChain::blocks, "How often the graph on a few variables was drawn anew.");
}
