#include <nanobind/stl/pair.h>
#include <nanobind/stl/tuple.h>
#include <nanobind/stl/vector.h>

#include <algorithm>
#include <cstdint>
#include <limits>
#include <map>
#include <numeric>
#include <stdexcept>
#include <tuple>
#include <utility>
#include <vector>

#include "bindings/arrays.hpp"
#include "bindings/bind.hpp"
#include "bindings/scorer.hpp"
#include "bounding/dual_ascent.hpp"
#include "bounding/local_bound.hpp"
#include "bounding/priced_sets.hpp"
#include "bounding/rounding.hpp"
#include "bounding/separation.hpp"
#include "bounding/small_scores.hpp"
#include "common/control.hpp"

namespace nb = nanobind;
using namespace chordlearn;

namespace {

using GivenNumbers = GivenArray<std::int64_t>;
using GivenValues = GivenArray<double>;
using Numbers = Array<std::int64_t>;
using Edges = std::vector<std::pair<int, int>>;

SmallSet pair_of(int a, int b) {
    SmallSet pair;
    pair.push(std::min(a, b));
    pair.push(std::max(a, b));
    return pair;
}

// All sets of few variables, or sets that are listed, and cuts on them.
class CutBound {
public:
    CutBound(const SetIndex& index, std::vector<double> scores, const Edges& forbidden, const Control& control)
        : control_(&control), sets_(index, without_forbidden(index, std::move(scores), forbidden, control), control) {}

    static CutBound of_table(const Scorer& scorer, int largest, const Edges& forbidden, int threads, Control& control) {
        nb::gil_scoped_release unlocked;
        const SetIndex index(scorer.table().variables(), largest);
        return {index, score_small_sets(scorer.table(), scorer.options(), index, threads, control), forbidden, control};
    }

    static CutBound of_values(const GivenValues& values, int largest, const Control* given) {
        const Control& control = given ? *given : unwatched();
        nb::gil_scoped_release unlocked;
        int n = 0;
        while (std::size_t{1} << n < values.shape(0)) ++n;
        if (std::size_t{1} << n != values.shape(0)) throw std::invalid_argument("there must be 2^n values");
        const SetIndex index(n, largest);
        std::vector<double> scores(index.count());
        for (std::size_t number = 0; number < scores.size(); ++number) {
            control.check();
            std::size_t mask = 0;
            for (const int variable : index.set(number)) mask |= std::size_t{1} << variable;
            scores[number] = values.data()[mask];
        }
        return {index, std::move(scores), {}, control};
    }

    static CutBound of_sets(int n, const GivenNumbers& members, const GivenNumbers& ends, const GivenValues& scores,
                            const Control& control) {
        if (ends.shape(0) != scores.shape(0)) throw std::invalid_argument("every set needs a score");
        nb::gil_scoped_release unlocked;
        std::vector<std::uint16_t> variables;
        for (std::size_t k = 0; k < members.shape(0); ++k) {
            if (members.data()[k] < 0 || members.data()[k] >= n) throw std::out_of_range("there is no such variable");
            variables.push_back(static_cast<std::uint16_t>(members.data()[k]));
        }
        const std::vector<std::size_t> until(ends.data(), ends.data() + ends.shape(0));
        const SetIndex index(n, variables, until);
        std::vector<double> by_number(index.count());
        for (std::size_t k = 0; k < until.size(); ++k) {
            SmallSet set;
            for (std::size_t i = k ? until[k - 1] : 0; i < until[k]; ++i) set.push(variables[i]);
            by_number[index.number(set)] = scores.data()[k];
        }
        return {index, std::move(by_number), {}, control};
    }

    void watched_by(const Control& control) {
        control_ = &control;
        sets_.watched_by(control);
    }

    std::size_t left() const { return sets_.left(); }
    double least_score() const { return sets_.least_score(); }
    double error() const { return sets_.error(); }
    double independent() const { return sets_.independent(); }

    std::size_t number(const std::vector<int>& variables) const {
        if (variables.empty() || static_cast<int>(variables.size()) > sets_.index().largest())
            throw std::invalid_argument("there is no set of that size");
        SmallSet set;
        for (const int variable : variables) set.push(checked(variable));
        std::sort(set.at.begin(), set.at.begin() + set.size);
        return known(sets_.index().number(set));
    }

    std::vector<int> members(std::size_t number) const {
        const SmallSet set = set_of(number);
        return {set.begin(), set.end()};
    }

    Array<double> family_weights(const GivenNumbers& children, const GivenNumbers& sets) const {
        std::vector<double> weights(sets.shape(0));
        for (std::size_t k = 0; k < weights.size(); ++k) {
            control_->check();
            weights[k] = sets_.family_weight(set(sets, k), static_cast<int>(children.data()[k]));
        }
        return to_array<double>(weights);
    }

    Array<bool> excluded(const GivenNumbers& numbers) const {
        std::vector<char> excluded(numbers.shape(0));
        for (std::size_t k = 0; k < excluded.size(); ++k)
            excluded[k] = sets_.is_excluded(checked_number(static_cast<std::size_t>(numbers.data()[k])));
        return to_array<bool>(excluded);
    }

    Numbers candidates() const {
        std::vector<std::size_t> left;
        left.reserve(sets_.left());
        const SetIndex& index = sets_.index();
        for (std::size_t number = static_cast<std::size_t>(index.n()); number < index.count(); ++number)
            if (!sets_.is_excluded(number)) left.push_back(number);
        return to_array<std::int64_t>(left);
    }

    // Variables joined by the largest pair weights first: each connected part on the way gives a cut.
    Numbers forest_cuts() {
        const SetIndex& index = sets_.index();
        std::vector<std::size_t> places;
        {
            nb::gil_scoped_release unlocked;
            add_forest_cuts(index, places);
        }
        return to_array<std::int64_t>(places);
    }

    void add_forest_cuts(const SetIndex& index, std::vector<std::size_t>& places) {
        std::vector<std::pair<double, std::size_t>> pairs;
        if (index.largest() > 1)
            for (std::size_t number = index.first(2); number < index.end(2); ++number)
                if (!sets_.is_excluded(number) && sets_.weight(number) > 0)
                    pairs.emplace_back(-sets_.weight(number), number);
        std::sort(pairs.begin(), pairs.end());
        std::vector<std::vector<std::uint16_t>> parts(static_cast<std::size_t>(index.n()));
        std::vector<std::size_t> part_of(parts.size());
        for (std::size_t i = 0; i < parts.size(); ++i) parts[part_of[i] = i] = {static_cast<std::uint16_t>(i)};
        for (const auto& [weight, number] : pairs) {
            control_->check();
            const SmallSet pair = index.set(number);
            const std::size_t a = part_of[pair.at[0]], b = part_of[pair.at[1]];
            if (a == b) continue;
            for (const std::uint16_t variable : parts[b]) part_of[variable] = a;
            parts[a].insert(parts[a].end(), parts[b].begin(), parts[b].end());
            std::sort(parts[a].begin(), parts[a].end());
            places.push_back(sets_.place_of({{}, parts[a]}));
        }
    }

    std::size_t component_cut(std::vector<int> variables) {
        for (const int variable : variables) checked(variable);
        std::sort(variables.begin(), variables.end());
        return sets_.place_of({{}, {variables.begin(), variables.end()}});
    }

    std::size_t edge_cut(int a, int b) {
        const SmallSet pair = pair_of(checked(a), checked(b));
        return sets_.place_of({{}, {pair.at[0], pair.at[1]}, -1, true});
    }

    // How complete each set is in a point that is given by families.
    std::pair<Numbers, Array<double>> complete_sets(const GivenNumbers& children, const GivenNumbers& sets,
                                                    const GivenValues& values) const {
        const auto complete = complete_in(children, sets, values);
        std::vector<std::size_t> numbers;
        std::vector<double> amounts;
        for (const auto& [number, amount] : complete) {
            numbers.push_back(number);
            amounts.push_back(amount);
        }
        return {to_array<std::int64_t>(numbers), to_array<double>(amounts)};
    }

    // Places of cuts that are violated by the point that is `share` of the way from one of sets to a network.
    Numbers separate(const GivenNumbers& numbers, const GivenValues& values, const GivenNumbers& network, double share,
                     double tolerance, std::size_t most) {
        std::map<std::size_t, double> mixed;
        for (std::size_t k = 0; k < numbers.shape(0); ++k)
            mixed[static_cast<std::size_t>(numbers.data()[k])] += (1 - share) * values.data()[k];
        for (std::size_t k = 0; k < network.shape(0) && share > 0; ++k)
            mixed[static_cast<std::size_t>(network.data()[k])] += share;
        std::vector<std::size_t> places;
        {
            nb::gil_scoped_release unlocked;
            Point point;
            for (const auto& [number, value] : mixed) {
                point.sets.push_back(set_of(number));
                point.values.push_back(value);
            }
            for (const Cut& cut : violated_cuts(point, sets_.index(), tolerance, most, *control_))
                places.push_back(sets_.place_of(cut));
        }
        return to_array<std::int64_t>(places);
    }

    std::tuple<std::vector<int>, std::vector<int>, int, bool> cut_at(std::size_t place) const {
        const Cut& cut = sets_.cut(place);
        return {{cut.apart.begin(), cut.apart.end()}, {cut.among.begin(), cut.among.end()}, cut.with, cut.is_edge};
    }

    Array<double> constants(const GivenNumbers& places) const {
        std::vector<int> constants;
        for (std::size_t k = 0; k < places.shape(0); ++k) constants.push_back(constant_of(cut(places, k)));
        return to_array<double>(constants);
    }

    // Rows (of cuts), columns (of families) and values of what is not 0.
    std::tuple<Numbers, Numbers, Array<double>> coefficients(const GivenNumbers& places, const GivenNumbers& children,
                                                             const GivenNumbers& sets) const {
        std::vector<std::size_t> rows, columns;
        std::vector<int> values;
        {
            nb::gil_scoped_release unlocked;
            for (std::size_t c = 0; c < sets.shape(0); ++c) {
                control_->check();
                const SmallSet family = set(sets, c);
                const int child = static_cast<int>(children.data()[c]);
                for (std::size_t r = 0; r < places.shape(0); ++r)
                    if (const int value = family_coefficient_of(cut(places, r), family, child)) {
                        rows.push_back(r);
                        columns.push_back(c);
                        values.push_back(value);
                    }
            }
        }
        return {to_array<std::int64_t>(rows), to_array<std::int64_t>(columns), to_array<double>(values)};
    }

    double price(const GivenNumbers& places, const GivenValues& multipliers) {
        std::vector<std::pair<std::size_t, double>> of_cuts;
        for (std::size_t k = 0; k < places.shape(0); ++k)
            of_cuts.emplace_back(static_cast<std::size_t>(places.data()[k]), multipliers.data()[k]);
        nb::gil_scoped_release unlocked;
        return sets_.price(of_cuts);
    }

    std::pair<Numbers, Numbers> families_above(const std::vector<double>& shares, std::size_t most) const {
        std::vector<int> children;
        std::vector<std::size_t> sets;
        std::vector<PricedSets::Family> above;
        {
            nb::gil_scoped_release unlocked;
            above = sets_.families_above(shares, most);
        }
        for (const auto& family : above) {
            children.push_back(family.child);
            sets.push_back(family.set);
        }
        return {to_array<std::int64_t>(children), to_array<std::int64_t>(sets)};
    }

    std::size_t exclude_below(double lower) {
        nb::gil_scoped_release unlocked;
        return sets_.exclude_below(lower);
    }

    void close(const Edges& edges) {
        std::vector<std::size_t> numbers;
        for (const auto& [a, b] : edges) {
            const std::size_t number = sets_.index().number(pair_of(checked(a), checked(b)));
            if (number != SetIndex::kNone) numbers.push_back(number);
        }
        sets_.close(std::move(numbers));
    }

    PricedSets& priced() { return sets_; }
    const Control& control() const { return *control_; }

private:
    static std::size_t known(std::size_t number) {
        if (number == SetIndex::kNone) throw std::out_of_range("there is no such set");
        return number;
    }

    std::size_t checked_number(std::size_t number) const {
        if (number >= sets_.index().count()) throw std::out_of_range("there is no such set");
        return number;
    }

    SmallSet set_of(std::size_t number) const { return sets_.index().set(checked_number(number)); }

    SmallSet set(const GivenNumbers& numbers, std::size_t k) const {
        return set_of(static_cast<std::size_t>(numbers.data()[k]));
    }

    int checked(int variable) const {
        if (variable < 0 || variable >= sets_.index().n()) throw std::out_of_range("there is no such variable");
        return variable;
    }

    const Cut& cut(const GivenNumbers& places, std::size_t k) const {
        return sets_.cut(static_cast<std::size_t>(places.data()[k]));
    }

    std::map<std::size_t, double> complete_in(const GivenNumbers& children, const GivenNumbers& sets,
                                              const GivenValues& values) const {
        std::map<std::size_t, double> complete;
        nb::gil_scoped_release unlocked;
        for (std::size_t k = 0; k < sets.shape(0); ++k) {
            control_->check();
            const SmallSet family = set(sets, k);
            for (unsigned part = 1; part < 1u << family.size; ++part) {
                SmallSet inside;
                bool holds_child = false;
                for (int i = 0; i < family.size; ++i)
                    if (part >> i & 1) {
                        inside.push(family.at[static_cast<std::size_t>(i)]);
                        holds_child |= family.at[static_cast<std::size_t>(i)] == children.data()[k];
                    }
                if (holds_child && inside.size > 1) complete[known(sets_.index().number(inside))] += values.data()[k];
            }
        }
        return complete;
    }

    static std::vector<double> without_forbidden(const SetIndex& index, std::vector<double> scores,
                                                 const Edges& forbidden, const Control& control) {
        if (forbidden.empty()) return scores;
        for (std::size_t number = static_cast<std::size_t>(index.n()); number < scores.size(); ++number) {
            control.check();
            const SmallSet set = index.set(number);
            const auto holds = [&](int variable) { return std::find(set.begin(), set.end(), variable) != set.end(); };
            for (const auto& [a, b] : forbidden)
                if (holds(a) && holds(b)) scores[number] = -std::numeric_limits<double>::infinity();
        }
        return scores;
    }

    const Control* control_;
    PricedSets sets_;
};

// Multipliers for a bound, that become better.
class Ascent {
public:
    Ascent(CutBound& bound, const GivenNumbers& places)
        : bound_(bound), ascent_(bound.priced(), checked(bound, places)) {}

    void renew(double upper, double lower) {
        nb::gil_scoped_release unlocked;
        ascent_.renew(upper, lower, bound_.control());
    }

    bool work() {
        nb::gil_scoped_release unlocked;
        return ascent_.work(bound_.priced(), bound_.control());
    }

    std::pair<Numbers, Array<double>> multipliers() const {
        std::vector<std::size_t> places;
        std::vector<double> values;
        for (const auto& [place, value] : ascent_.multipliers()) {
            places.push_back(place);
            values.push_back(value);
        }
        return {to_array<std::int64_t>(places), to_array<double>(values)};
    }

    Edges network(const Edges& required) const {
        nb::gil_scoped_release unlocked;
        return network_near(ascent_.point(), bound_.priced(), required, bound_.control());
    }

private:
    static std::vector<std::size_t> checked(CutBound& bound, const GivenNumbers& places) {
        std::vector<std::size_t> known;
        for (std::size_t k = 0; k < places.shape(0); ++k) {
            known.push_back(static_cast<std::size_t>(places.data()[k]));
            bound.priced().cut(known.back());
        }
        return known;
    }

    CutBound& bound_;
    DualAscent ascent_;
};

}  // namespace

void bind_bounding(nb::module_& m) {
    nb::class_<CutBound>(
        m, "CutBound",
        "An upper bound from the scores of sets and cuts on chordal graphs; every call may raise Stopped.")
        .def_static("of_table", &CutBound::of_table, nb::arg("scorer"), nb::arg("largest"), nb::arg("forbidden"),
                    nb::arg("threads"), nb::arg("control"), nb::keep_alive<0, 5>())
        .def_static("of_values", &CutBound::of_values, nb::arg("values"), nb::arg("largest"),
                    nb::arg("control") = nb::none(), nb::keep_alive<0, 3>())
        .def_static("of_sets", &CutBound::of_sets, nb::arg("n"), nb::arg("members"), nb::arg("ends"), nb::arg("scores"),
                    nb::arg("control"), nb::keep_alive<0, 5>(),
                    "Of sets of up to 24 variables, each listed with all its parts: the members of one after those of "
                    "the other, and where they end.")
        .def("watched_by", &CutBound::watched_by, nb::arg("control"), nb::keep_alive<1, 2>(),
             "From now on another control may stop the calls.")
        .def_prop_ro("left", &CutBound::left, "Sets of two variables or more that are not excluded.")
        .def_prop_ro("independent", &CutBound::independent, "Score of the network without edges.")
        .def_prop_ro("least_score", &CutBound::least_score, "No network scores less.")
        .def_prop_ro("error", &CutBound::error, "By how much rounding may raise bounds.")
        .def("number", &CutBound::number, nb::arg("variables"), "The number of a set.")
        .def("members", &CutBound::members, nb::arg("number"))
        .def("family_weights", &CutBound::family_weights, nb::arg("children"), nb::arg("sets"),
             "What each family adds to the score of the network without edges.")
        .def("excluded", &CutBound::excluded, nb::arg("numbers"))
        .def("candidates", &CutBound::candidates, "The sets of two variables or more that are not excluded.")
        .def("forest_cuts", &CutBound::forest_cuts, "Places of cuts to start with.")
        .def("component_cut", &CutBound::component_cut, nb::arg("variables"),
             "Place of the cut that says that the graph on these variables has a component.")
        .def("edge_cut", &CutBound::edge_cut, nb::arg("a"), nb::arg("b"),
             "Place of the cut that says that an edge is there.")
        .def("complete_sets", &CutBound::complete_sets, nb::arg("children"), nb::arg("sets"), nb::arg("values"),
             "Numbers of sets and how complete each is where families have these values.")
        .def("separate", &CutBound::separate, nb::arg("numbers"), nb::arg("values"), nb::arg("network"),
             nb::arg("share"), nb::arg("tolerance"), nb::arg("most"),
             "Places of at most so many violated cuts, `share` of the way from the point to the network.")
        .def(
            "cut", &CutBound::cut_at, nb::arg("place"),
            "A cut: the set it is seen from, the variables it is about, one of these, and whether it is about an edge.")
        .def("constants", &CutBound::constants, nb::arg("places"))
        .def("coefficients", &CutBound::coefficients, nb::arg("places"), nb::arg("children"), nb::arg("sets"),
             "Rows, columns and values of what is not 0; constant + row * families is never negative.")
        .def("price", &CutBound::price, nb::arg("places"), nb::arg("multipliers"), "The bound with these multipliers.")
        .def("families_above", &CutBound::families_above, nb::arg("shares"), nb::arg("most"),
             "By the last prices: children and sets of families worth more than the child's share.")
        .def("exclude_below", &CutBound::exclude_below, nb::arg("lower"),
             "By the last prices: excludes sets with which no network scores this; returns how many.")
        .def("close", &CutBound::close, nb::arg("edges"), "The edges that are not there in the following prices.");
    nb::class_<Ascent>(m, "Ascent", "Multipliers of cuts that are made better and better; any call may raise Stopped.")
        .def(nb::init<CutBound&, const GivenNumbers&>(), nb::arg("sets"), nb::arg("places"), nb::keep_alive<1, 2>(),
             "The cuts at these places stay, others come and go.")
        .def("renew", &Ascent::renew, nb::arg("bound"), nb::arg("lower"),
             "Goes on from the last prices of the sets, towards a bound below `lower`.")
        .def("work", &Ascent::work,
             "Makes the multipliers better and looks for cuts; whether it is time to price all sets again.")
        .def("multipliers", &Ascent::multipliers, "Places of cuts and their multipliers, the best since the renewal.")
        .def("network", &Ascent::network, nb::arg("required"), "Edges of a chordal graph that is near.");
    m.def(
        "local_bound",
        [](const Scorer& scorer, int largest, int threads, Control& control) {
            nb::gil_scoped_release unlocked;
            return local_bound(scorer.table(), scorer.options(), largest, threads, control);
        },
        nb::arg("scorer"), nb::arg("largest"), nb::arg("threads"), nb::arg("control"),
        "No network scores more than this: the best parents of each variable, bounded beyond `largest` - 1 of them.");
}
