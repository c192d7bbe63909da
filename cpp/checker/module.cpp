#include <nanobind/nanobind.h>
#include <nanobind/ndarray.h>
#include <nanobind/stl/optional.h>
#include <nanobind/stl/pair.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/tuple.h>
#include <nanobind/stl/vector.h>

#include <memory>
#include <stdexcept>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "checker/family_check.hpp"

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

// The table and the question, which the check of a child refers to.
struct Families {
    Table table;
    Question question;
};

void check_variables(const Families& families) {
    const auto check = [&](int variable) {
        if (variable < 0 || static_cast<std::size_t>(variable) >= families.table.columns)
            throw std::out_of_range("there is no such variable");
    };
    for (const auto& [a, b] : families.question.forbidden) check(a), check(b);
    for (const Cut& cut : families.question.cuts) {
        for (const int variable : cut.apart) check(variable);
        for (const int variable : cut.among) check(variable);
        if (cut.at >= 0) check(cut.at);
    }
}

}  // namespace

NB_MODULE(_checker, m) {
    m.doc() = "What checks of proofs have in C++, apart from the core that made them.";
    nb::class_<Families>(m, "Families", "The families of a table under the multipliers of cuts.")
        .def(
            "__init__",
            [](Families* self, const Codes& codes, const Weights& weights, std::vector<int> states,
               const std::string& score, double ess, double edge_prior, int most_parents,
               std::vector<std::pair<int, int>> forbidden, const std::vector<GivenCut>& cuts) {
                Families families{make_table(codes, weights, std::move(states)),
                                  {score_of(score), ess, edge_prior, most_parents, std::move(forbidden), {}}};
                for (const auto& [multiplier, apart, among, at] : cuts)
                    families.question.cuts.push_back({multiplier, apart, among, at});
                check_variables(families);
                new (self) Families(std::move(families));
            },
            nb::arg("codes"), nb::arg("weights"), nb::arg("states"), nb::arg("score"), nb::arg("ess"),
            nb::arg("edge_prior"), nb::arg("most_parents"), nb::arg("forbidden"), nb::arg("cuts"));
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
}
