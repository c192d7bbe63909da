#include <nanobind/nanobind.h>
#include <nanobind/ndarray.h>
#include <nanobind/stl/function.h>
#include <nanobind/stl/optional.h>
#include <nanobind/stl/pair.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/tuple.h>
#include <nanobind/stl/vector.h>

#include <functional>
#include <memory>
#include <stdexcept>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "checker/family_check.hpp"
#include "checker/set_growth.hpp"

namespace nb = nanobind;
using namespace chordlearn::checker;

namespace {

using Codes = nb::ndarray<const std::uint16_t, nb::ndim<2>, nb::c_contig, nb::device::cpu>;
using Weights = nb::ndarray<const std::int64_t, nb::ndim<1>, nb::c_contig, nb::device::cpu>;
// The multiplier, what must be there, what must be met, and what must not be there or -1.
using GivenCut = std::tuple<double, std::vector<int>, std::vector<int>, int>;

Table make_table(const Codes& codes, const Weights& weights, std::vector<int> states) {
    Table table;
    table.columns = codes.shape(1);
    if (codes.shape(0) != weights.shape(0) || table.columns != states.size())
        throw std::invalid_argument("rows, weights and states do not go together");
    table.codes.assign(codes.data(), codes.data() + codes.size());
    table.weights.assign(weights.data(), weights.data() + weights.size());
    table.states = std::move(states);
    for (std::size_t row = 0; row < table.rows(); ++row) {
        if (table.weights[row] <= 0) throw std::invalid_argument("every row must occur");
        for (std::size_t column = 0; column < table.columns; ++column)
            if (table.code(row, static_cast<int>(column)) >= table.states[column])
                throw std::out_of_range("there is no such state");
    }
    return table;
}

Score score_of(const std::string& name) {
    if (name == "bdeu") return Score::bdeu;
    if (name == "bic") return Score::bic;
    if (name == "aic") return Score::aic;
    throw std::invalid_argument("families of any size are checked for bdeu, bic and aic");
}

std::vector<Cut> make_cuts(const std::vector<GivenCut>& given) {
    std::vector<Cut> cuts;
    for (const auto& [multiplier, apart, among, at] : given) cuts.push_back({multiplier, apart, among, at});
    return cuts;
}

void check_variables(const Table& table, const std::vector<std::pair<int, int>>& forbidden,
                     const std::vector<Cut>& cuts) {
    const auto check = [&](int variable) {
        if (variable < 0 || static_cast<std::size_t>(variable) >= table.columns)
            throw std::out_of_range("there is no such variable");
    };
    for (const auto& [a, b] : forbidden) check(a), check(b);
    for (const Cut& cut : cuts) {
        for (const int variable : cut.apart) check(variable);
        for (const int variable : cut.among) check(variable);
        if (cut.at >= 0) check(cut.at);
    }
}

// The table and the question, which the check of a child refers to.
struct Families {
    Table table;
    Question question;
};

using Array = nb::ndarray<nb::numpy, std::int64_t, nb::ndim<1>>;

Array to_array(std::vector<std::int64_t> values) {
    auto* kept = new std::vector<std::int64_t>(std::move(values));
    nb::capsule owner(kept, [](void* data) noexcept { delete static_cast<std::vector<std::int64_t>*>(data); });
    return Array(kept->data(), {kept->size()}, owner);
}

}  // namespace

NB_MODULE(_checker, m) {
    m.doc() = "What checks of proofs have in C++, apart from the core that made them.";
    nb::class_<Table>(m, "Table", "Rows that all differ, how often each occurs, and how many states columns have.")
        .def(
            "__init__",
            [](Table* self, const Codes& codes, const Weights& weights, std::vector<int> states) {
                new (self) Table(make_table(codes, weights, std::move(states)));
            },
            nb::arg("codes"), nb::arg("weights"), nb::arg("states"));
    nb::class_<Families>(m, "Families", "The families of a table under the multipliers of cuts.")
        .def(
            "__init__",
            [](Families* self, const Table& table, const std::string& score, double ess, double edge_prior,
               int most_parents, std::vector<std::pair<int, int>> forbidden, const std::vector<GivenCut>& cuts) {
                Families families{
                    table, {score_of(score), ess, edge_prior, most_parents, std::move(forbidden), make_cuts(cuts)}};
                check_variables(families.table, families.question.forbidden, families.question.cuts);
                new (self) Families(std::move(families));
            },
            nb::arg("table"), nb::arg("score"), nb::arg("ess"), nb::arg("edge_prior"), nb::arg("most_parents"),
            nb::arg("forbidden"), nb::arg("cuts"));
    nb::class_<FamilyCheck>(m, "FamilyCheck", "Whether no family of a child is worth more than some number.")
        .def(
            "__init__",
            [](FamilyCheck* self, const Families& families, int child, double most) {
                new (self) FamilyCheck(families.table, families.question, child, most);
            },
            nb::arg("families"), nb::arg("child"), nb::arg("most"), nb::keep_alive<1, 2>())
        .def("advance", &FamilyCheck::advance, nb::arg("nodes"), nb::call_guard<nb::gil_scoped_release>(),
             "Go on through so many nodes; whether it is done.")
        .def_prop_ro("counterexample", &FamilyCheck::counterexample,
                     "Parents with which the family is worth more, or None.")
        .def_prop_ro("nodes", &FamilyCheck::nodes, "How many sets of parents were looked into.")
        .def_prop_ro("error", &FamilyCheck::error, "By how much rounding may change what is compared.");
    m.def(
        "grow_sets",
        [](const Table& table, std::function<double(std::int64_t, double)> term, std::function<double(double)> rest,
           double edge_prior, double factor, int largest, std::vector<std::pair<int, int>> forbidden,
           const std::vector<GivenCut>& cuts, std::vector<std::int64_t> most, std::int64_t slack, std::size_t limit,
           std::function<void()> pause) -> std::optional<std::tuple<Array, Array, Array>> {
            const Growth growth{std::move(term),      std::move(rest), edge_prior,      factor, largest,
                                std::move(forbidden), make_cuts(cuts), std::move(most), slack};
            check_variables(table, growth.forbidden, growth.cuts);
            if (!growth.most.empty() && growth.most.size() != table.columns)
                throw std::invalid_argument("there must be a number for every variable");
            SetGrowth sets(table, growth, limit, std::move(pause));
            if (!sets.run()) return std::nullopt;
            Grown& found = sets.found();
            return std::tuple(to_array(std::move(found.members)), to_array(std::move(found.ends)),
                              to_array(std::move(found.scores)));
        },
        nb::arg("table"), nb::arg("term"), nb::arg("rest"), nb::arg("edge_prior"), nb::arg("factor"),
        nb::arg("largest"), nb::arg("forbidden"), nb::arg("cuts"), nb::arg("most"), nb::arg("slack"), nb::arg("limit"),
        nb::arg("pause"),
        "Sets that lose less than the slack, with multipliers, most and scores in units: the members of one after "
        "those "
        "of the other, where each ends, and scores. All sets if there is no most; None if they are more than the "
        "limit. "
        "Calls pause now and then.");
}
