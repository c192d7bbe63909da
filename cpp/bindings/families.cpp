#include <nanobind/stl/optional.h>
#include <nanobind/stl/pair.h>
#include <nanobind/stl/tuple.h>
#include <nanobind/stl/vector.h>

#include <algorithm>
#include <memory>
#include <optional>
#include <stdexcept>
#include <tuple>
#include <utility>
#include <vector>

#include "bindings/arrays.hpp"
#include "bindings/bind.hpp"
#include "bindings/scorer.hpp"
#include "families/family_bounds.hpp"
#include "families/left_sets.hpp"

namespace nb = nanobind;
using namespace chordlearn;

namespace {

// As CutBound.cut gives it.
using GivenCut = std::tuple<std::vector<int>, std::vector<int>, int, bool>;

std::vector<Cut> cuts_of(int n, const std::vector<GivenCut>& given) {
    std::vector<Cut> cuts;
    for (const auto& [apart, among, with, is_edge] : given) {
        Cut cut;
        if (apart.size() > SmallSet::kMost) throw std::invalid_argument("a cut is seen from too many variables");
        for (const auto* part : {&apart, &among})
            for (const int variable : *part)
                if (variable < 0 || variable >= n) throw std::out_of_range("there is no such variable");
        for (const int variable : apart) cut.apart.push(variable);
        cut.among.assign(among.begin(), among.end());
        cut.with = with;
        cut.is_edge = is_edge;
        cuts.push_back(std::move(cut));
    }
    return cuts;
}

}  // namespace

void bind_families(nb::module_& m) {
    nb::class_<LeftSets>(m, "LeftSets",
                         "The sets, of any size, that may be complete in a network that scores more than another.")
        .def("__len__", &LeftSets::count)
        .def("set", &LeftSets::set, nb::arg("place"), "The variables of one of the sets.")
        .def(
            "sets",
            [](const LeftSets& sets) {
                return std::tuple(to_array<std::int64_t>(sets.members()), to_array<std::int64_t>(sets.ends()),
                                  to_array<double>(sets.scores()));
            },
            "Members of all sets, one after the other, where those of each end, and scores: as CutBound.of_sets takes "
            "them.")
        .def_prop_ro("largest", &LeftSets::largest, "How many variables the largest has.")
        .def_prop_ro("bound", &LeftSets::bound, "No network scores more than this or than the other one.")
        .def(
            "shrink",
            [](LeftSets& sets, double lower, const Control& control) {
                nb::gil_scoped_release unlocked;
                sets.raise(lower);
                sets.shrink(control);
            },
            nb::arg("lower"), nb::arg("control"),
            "Exclude what no network that scores more than `lower` has, until nothing changes.")
        .def(
            "price",
            [](LeftSets& sets, const std::vector<GivenCut>& cuts, const std::vector<double>& multipliers,
               const Control& control) {
                nb::gil_scoped_release unlocked;
                sets.price(cuts_of(sets.n(), cuts), multipliers, control);
            },
            nb::arg("cuts"), nb::arg("multipliers"), nb::arg("control"), "Exclude by other multipliers of cuts.");
    nb::class_<FamilyBounds>(m, "FamilyBounds",
                             "What no family of each variable is worth more than, whatever its size, by multipliers of "
                             "cuts; bounds hold at any time.")
        .def(
            "__init__",
            [](FamilyBounds* self, const Scorer& scorer, const std::vector<GivenCut>& cuts,
               const std::vector<double>& multipliers, int largest, const std::vector<std::pair<int, int>>& forbidden) {
                const CodedTable& table = scorer.table();
                new (self) FamilyBounds(table, scorer.options(), cuts_of(table.variables(), cuts), multipliers, largest,
                                        forbidden);
            },
            nb::arg("scorer"), nb::arg("cuts"), nb::arg("multipliers"), nb::arg("largest"), nb::arg("forbidden"),
            nb::keep_alive<1, 2>())
        .def_static(
            "can_bound", [](const Scorer& scorer) { return FamilyBounds::can_bound(scorer.table(), scorer.options()); },
            nb::arg("scorer"), "Whether there is such a bound for the score function and the table.")
        .def(
            "search",
            [](FamilyBounds& bounds, int threads, Control& control) {
                nb::gil_scoped_release unlocked;
                bounds.search(threads, control);
            },
            nb::arg("threads"), nb::arg("control"), "Go on to the end; may raise Stopped, and keeps what is known.")
        .def_prop_ro("bound", &FamilyBounds::bound, "No network scores more.")
        .def_prop_ro(
            "most",
            [](const FamilyBounds& bounds) {
                std::vector<double> most;
                for (int child = 0; child < bounds.n(); ++child)
                    most.push_back(static_cast<double>(bounds.most(child)) / bounds.scale());
                return most;
            },
            "By variable: no family of it is worth more.")
        .def_prop_ro("branches", &FamilyBounds::branches, "How many parts the search has, so far.")
        .def_prop_ro("open_branches", &FamilyBounds::open_branches, "How many of them are not done.")
        .def_prop_ro("nodes", &FamilyBounds::nodes, "How many sets of parents were looked into.")
        .def(
            "sets_left",
            [](const FamilyBounds& bounds, double lower, std::size_t most, int threads, Control& control) {
                nb::gil_scoped_release unlocked;
                return LeftSets::of(bounds, lower, most, threads, control);
            },
            nb::arg("lower"), nb::arg("most"), nb::arg("threads"), nb::arg("control"),
            "The sets that a network that scores more than `lower` may have; None if there are more than `most`.");
}
