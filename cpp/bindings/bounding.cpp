#include <nanobind/ndarray.h>
#include <nanobind/stl/pair.h>
#include <nanobind/stl/tuple.h>
#include <nanobind/stl/vector.h>

#include <cstdint>
#include <algorithm>
#include <limits>
#include <memory>
#include <stdexcept>
#include <tuple>
#include <utility>
#include <vector>

#include "bindings/bind.hpp"
#include "bindings/scorer.hpp"
#include "bounding/priced_sets.hpp"
#include "bounding/small_scores.hpp"
#include "common/control.hpp"

namespace nb = nanobind;
using namespace chordlearn;

namespace {

template <class T>
using Vector = nb::ndarray<const T, nb::ndim<1>, nb::c_contig, nb::device::cpu>;
using Edges = std::vector<std::pair<int, int>>;

template <class To, class From>
nb::object to_array(const std::vector<From>& values) {
    std::unique_ptr<To[]> copy(new To[values.size()]);
    for (std::size_t i = 0; i < values.size(); ++i) copy[i] = static_cast<To>(values[i]);
    nb::capsule owner(copy.get(), [](void* data) noexcept { delete[] static_cast<To*>(data); });
    return nb::ndarray<nb::numpy, To, nb::ndim<1>>(copy.release(), {values.size()}, owner).cast();
}

// All sets of few variables with their prices.
class CutBound {
public:
    CutBound(const SetIndex& index, std::vector<double> scores, const Edges& required, const Edges& forbidden)
        : sets_(index, without_forbidden(index, std::move(scores), forbidden), numbers(index, required)) {}

    static CutBound of_table(const Scorer& scorer, int largest, const Edges& required, const Edges& forbidden,
                             int threads, Control& control) {
        nb::gil_scoped_release unlocked;
        const SetIndex index(scorer.table().variables(), largest);
        return {index, score_small_sets(scorer.table(), scorer.options(), index, threads, control), required, forbidden};
    }

    static CutBound of_values(const Vector<double>& values, int largest, const Edges& required) {
        int n = 0;
        while (std::size_t{1} << n < values.shape(0)) ++n;
        if (std::size_t{1} << n != values.shape(0)) throw std::invalid_argument("there must be 2^n values");
        const SetIndex index(n, largest);
        std::vector<double> scores(index.count());
        for (std::size_t number = 0; number < scores.size(); ++number) {
            std::size_t mask = 0;
            for (const int variable : index.set(number)) mask |= std::size_t{1} << variable;
            scores[number] = values.data()[mask];
        }
        return {index, std::move(scores), required, {}};
    }

    std::size_t count() const { return sets_.index().count(); }
    std::size_t left() const { return sets_.left(); }
    std::size_t cuts() const { return sets_.cuts(); }
    std::size_t first3() const { return sets_.index().largest() > 2 ? sets_.index().first(3) : sets_.index().count(); }

    std::size_t number(const std::vector<int>& variables) const {
        SmallSet set;
        if (variables.empty() || static_cast<int>(variables.size()) > sets_.index().largest())
            throw std::invalid_argument("there is no set of that size");
        for (const int variable : variables) set.push(variable);
        return sets_.index().number(set);
    }

    std::vector<int> members(std::size_t number) const {
        const SmallSet set = sets_.index().set(number);
        return {set.begin(), set.end()};
    }

    std::vector<std::size_t> parts(std::size_t number) const {
        const SmallSet set = sets_.index().set(number);
        std::vector<std::size_t> parts;
        for (int i = 0; i < set.size; ++i) parts.push_back(sets_.index().number(set.without(i)));
        return parts;
    }

    nb::object weights(const Vector<std::int64_t>& numbers) const {
        std::vector<double> weights(numbers.shape(0));
        for (std::size_t k = 0; k < weights.size(); ++k)
            weights[k] = sets_.weight(static_cast<std::size_t>(numbers.data()[k]));
        return to_array<double>(weights);
    }

    nb::object excluded(const Vector<std::int64_t>& numbers) const {
        std::vector<char> excluded(numbers.shape(0));
        for (std::size_t k = 0; k < excluded.size(); ++k)
            excluded[k] = sets_.is_excluded(static_cast<std::size_t>(numbers.data()[k]));
        return to_array<bool>(excluded);
    }

    nb::object candidates() const {
        std::vector<std::size_t> left;
        left.reserve(sets_.left());
        for (std::size_t number = sets_.index().first(2); number < count(); ++number)
            if (!sets_.is_excluded(number)) left.push_back(number);
        return to_array<std::int64_t>(left);
    }

    // The places of cuts that a point violates.
    nb::object separate(const Vector<std::int64_t>& numbers, const Vector<double>& values, double tolerance,
                        std::uint64_t seed) {
        Support support;
        for (std::size_t k = 0; k < numbers.shape(0); ++k) {
            support.sets.push_back(sets_.index().set(static_cast<std::size_t>(numbers.data()[k])));
            support.values.push_back(values.data()[k]);
        }
        std::vector<std::size_t> places;
        {
            nb::gil_scoped_release unlocked;
            for (const Cut& cut : violated_cuts(support, sets_.index(), tolerance, seed))
                places.push_back(sets_.place_of(cut));
        }
        return to_array<std::int64_t>(places);
    }

    // The cut that says that the graph on these variables has a component.
    std::size_t component_cut(const std::vector<int>& variables) {
        Cut cut;
        for (const int variable : variables) cut.among.push_back(static_cast<std::uint16_t>(variable));
        std::sort(cut.among.begin(), cut.among.end());
        return sets_.place_of(cut);
    }

    nb::object constants(const Vector<std::int64_t>& places) const {
        std::vector<int> constants;
        for (std::size_t k = 0; k < places.shape(0); ++k) constants.push_back(constant_of(cut(places.data()[k])));
        return to_array<double>(constants);
    }

    // The coefficients of cuts and sets that are not 0: places in the two lists, and values.
    nb::tuple coefficients(const Vector<std::int64_t>& places, const Vector<std::int64_t>& numbers) const {
        std::vector<std::size_t> rows, columns;
        std::vector<int> values;
        for (std::size_t c = 0; c < numbers.shape(0); ++c) {
            const SmallSet set = sets_.index().set(static_cast<std::size_t>(numbers.data()[c]));
            for (std::size_t r = 0; r < places.shape(0); ++r)
                if (const int value = coefficient_of(cut(places.data()[r]), set)) {
                    rows.push_back(r);
                    columns.push_back(c);
                    values.push_back(value);
                }
        }
        return nb::make_tuple(to_array<std::int64_t>(rows), to_array<std::int64_t>(columns), to_array<double>(values));
    }

    double price(const Vector<std::int64_t>& places, const Vector<double>& multipliers,
                 const Vector<std::int64_t>& sets, const Vector<std::int64_t>& parts,
                 const Vector<double>& facet_multipliers) {
        std::vector<std::pair<std::size_t, double>> of_cuts;
        for (std::size_t k = 0; k < places.shape(0); ++k) {
            cut(places.data()[k]);
            of_cuts.emplace_back(places.data()[k], multipliers.data()[k]);
        }
        std::vector<PricedSets::Facet> facets;
        for (std::size_t k = 0; k < sets.shape(0); ++k)
            facets.push_back({static_cast<std::size_t>(sets.data()[k]), static_cast<std::size_t>(parts.data()[k]),
                              facet_multipliers.data()[k]});
        nb::gil_scoped_release unlocked;
        return sets_.price(of_cuts, facets);
    }

    nb::object positive(std::size_t most) const { return to_array<std::int64_t>(sets_.positive(most)); }

    std::size_t exclude_below(double lower) {
        nb::gil_scoped_release unlocked;
        return sets_.exclude_below(lower);
    }

    void fix(std::size_t edge, int state) { sets_.fix(edge, state); }
    double independent() const { return sets_.independent(); }

private:
    const Cut& cut(std::int64_t place) const {
        if (place < 0 || static_cast<std::size_t>(place) >= sets_.cuts()) throw std::out_of_range("there is no such cut");
        return sets_.cut(static_cast<std::size_t>(place));
    }

    static std::vector<std::size_t> numbers(const SetIndex& index, const Edges& edges) {
        std::vector<std::size_t> numbers;
        for (const auto& [a, b] : edges) {
            SmallSet pair;
            pair.push(std::min(a, b));
            pair.push(std::max(a, b));
            numbers.push_back(index.number(pair));
        }
        return numbers;
    }

    static std::vector<double> without_forbidden(const SetIndex& index, std::vector<double> scores,
                                                 const Edges& forbidden) {
        if (forbidden.empty()) return scores;
        for (std::size_t number = index.first(2); number < scores.size(); ++number) {
            const SmallSet set = index.set(number);
            const auto holds = [&](int variable) { return std::find(set.begin(), set.end(), variable) != set.end(); };
            for (const auto& [a, b] : forbidden)
                if (holds(a) && holds(b)) scores[number] = -std::numeric_limits<double>::infinity();
        }
        return scores;
    }

    PricedSets sets_;
};

}  // namespace

void bind_bounding(nb::module_& m) {
    nb::class_<CutBound>(m, "CutBound", "An upper bound from weights of small sets and cuts that chordal graphs satisfy.")
        .def_static("of_table", &CutBound::of_table, nb::arg("scorer"), nb::arg("largest"), nb::arg("required"),
                    nb::arg("forbidden"), nb::arg("threads"), nb::arg("control"))
        .def_static("of_values", &CutBound::of_values, nb::arg("values"), nb::arg("largest"), nb::arg("required"))
        .def_prop_ro("count", &CutBound::count, "Sets of at least one variable.")
        .def_prop_ro("left", &CutBound::left, "Sets of two variables or more that are not excluded.")
        .def_prop_ro("cuts", &CutBound::cuts)
        .def_prop_ro("first3", [](const CutBound& b) { return b.first3(); })
        .def_prop_ro("independent", &CutBound::independent, "Score of the network without edges.")
        .def("number", &CutBound::number, nb::arg("variables"))
        .def("members", &CutBound::members, nb::arg("number"))
        .def("parts", &CutBound::parts, nb::arg("number"), "The sets with one element less.")
        .def("weights", &CutBound::weights, nb::arg("numbers"), "Moebius weights.")
        .def("excluded", &CutBound::excluded, nb::arg("numbers"))
        .def("candidates", &CutBound::candidates, "The sets of two variables or more that are not excluded.")
        .def("separate", &CutBound::separate, nb::arg("numbers"), nb::arg("values"), nb::arg("tolerance"),
             nb::arg("seed"), "Places of cuts that a point violates.")
        .def("component_cut", &CutBound::component_cut, nb::arg("variables"),
             "Place of the cut that says that the graph on these variables has a component.")
        .def("constants", &CutBound::constants, nb::arg("places"))
        .def("coefficients", &CutBound::coefficients, nb::arg("places"), nb::arg("numbers"),
             "Rows, columns and values of what is not 0; constant + row * point is never negative.")
        .def("price", &CutBound::price, nb::arg("places"), nb::arg("multipliers"), nb::arg("sets"), nb::arg("parts"),
             nb::arg("facet_multipliers"), "The bound with these multipliers of cuts and facets.")
        .def("positive", &CutBound::positive, nb::arg("most"), "The sets of positive price, the dearest first.")
        .def("exclude_below", &CutBound::exclude_below, nb::arg("lower"))
        .def("fix", &CutBound::fix, nb::arg("edge"), nb::arg("state"), "Edge there (1), not there (-1), free (0).");
}
