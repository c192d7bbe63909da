#include <nanobind/stl/optional.h>
#include <nanobind/stl/pair.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <memory>
#include <optional>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include "bindings/arrays.hpp"
#include "bindings/bind.hpp"
#include "bindings/scorer.hpp"
#include "scoring/all_sets.hpp"
#include "scoring/log_rising.hpp"
#include "scoring/multinomial_nml.hpp"

namespace nb = nanobind;
using namespace chordlearn;

namespace {

ScoreKind kind_of(const std::string& name) {
    if (name == "bdeu") return ScoreKind::bdeu;
    if (name == "dirichlet") return ScoreKind::dirichlet;
    if (name == "bic") return ScoreKind::bic;
    if (name == "aic") return ScoreKind::aic;
    if (name == "qnml") return ScoreKind::qnml;
    throw std::invalid_argument("there is no score function " + name);
}

}  // namespace

Scorer::Scorer(const Codes& codes, const Weights& weights, const std::vector<std::int64_t>& arities,
               const std::string& name, double parameter, double edge_prior, double unit)
    : options_{kind_of(name), parameter, edge_prior, unit} {
    if (!(unit > 0.0 && unit <= 1.0)) throw std::invalid_argument("the unit of weights is not above 0 and at most 1");
    if (codes.shape(1) != arities.size()) throw std::invalid_argument("codes and arities differ in variables");
    if (codes.shape(0) != weights.shape(0)) throw std::invalid_argument("codes and weights differ in rows");
    table_ = make_coded_table(codes.data(), weights.data(), codes.shape(0), arities);
}

std::optional<Array<double>> Scorer::all(int max_size, int threads, Control& control) const {
    check_dense();
    const std::size_t size = std::size_t{1} << table_.variables();
    std::unique_ptr<double[]> values;
    bool finished = false;
    {
        nb::gil_scoped_release unlocked;
        values.reset(new double[size]);
        finished = score_all_sets(table_, options_, max_size, threads, control, values.get());
    }
    if (!finished) return std::nullopt;
    return to_array(std::move(values), size);
}

std::optional<std::pair<Array<std::uint32_t>, Array<double>>> Scorer::parts(int max_size, int first, int last,
                                                                            Control& control) {
    check_dense();
    std::vector<std::uint32_t> sets;
    std::vector<double> scores;
    bool finished = false;
    {
        nb::gil_scoped_release unlocked;
        std::shared_ptr<const SetParts> parts;
        {
            const std::lock_guard lock(scoring_sets_);
            if (!parts_ || parts_size_ != max_size) parts_ = std::make_shared<SetParts>(table_, options_, max_size);
            parts_size_ = max_size;
            parts = parts_;
        }
        finished = parts->score(first, last, control, sets, scores);
    }
    if (!finished) return std::nullopt;
    return std::pair(to_array<std::uint32_t>(sets), to_array<double>(scores));
}

Array<double> Scorer::sets(const std::vector<std::vector<int>>& sets) {
    std::unique_ptr<double[]> values;
    {
        nb::gil_scoped_release unlocked;
        values.reset(new double[sets.size()]);
        const std::lock_guard lock(scoring_sets_);
        for (std::size_t i = 0; i < sets.size(); ++i) values[i] = set_scorer().score(sets[i]);
    }
    return to_array(std::move(values), sets.size());
}

Array<std::int64_t> Scorer::counts(const std::vector<int>& variables) {
    std::vector<std::uint64_t> counts;
    {
        nb::gil_scoped_release unlocked;
        const std::lock_guard lock(scoring_sets_);
        counts = set_scorer().counts(variables);
    }
    return to_array<std::int64_t>(counts);
}

double Scorer::bytes(int max_size, int threads) const {
    check_dense();
    return all_sets_bytes(table_, max_size, threads);
}

void Scorer::check_dense() const {
    if (table_.variables() > kMostDenseVariables)
        throw std::invalid_argument("there are too many variables to score all sets of them");
}

SetScorer& Scorer::set_scorer() {
    if (!set_scorer_) set_scorer_ = std::make_unique<SetScorer>(table_, options_);
    return *set_scorer_;
}

const TermStore& Scorer::terms() const {
    std::call_once(terms_made_, [&] { terms_ = std::make_unique<TermStore>(options_, table_.rows); });
    return *terms_;
}

void bind_scoring(nb::module_& m) {
    nb::class_<Scorer>(m, "Scorer", "Scores sets of columns of a coded table.")
        .def(nb::init<const Scorer::Codes&, const Scorer::Weights&, const std::vector<std::int64_t>&,
                      const std::string&, double, double, double>(),
             nb::arg("codes"), nb::arg("weights"), nb::arg("arities"), nb::arg("name"), nb::arg("parameter") = 1.0,
             nb::arg("edge_prior") = 0.0, nb::arg("unit") = 1.0)
        .def("all", &Scorer::all, nb::arg("max_size"), nb::arg("threads"), nb::arg("control"),
             "Scores of all sets by bit mask, -inf above max_size; None if stopped.")
        .def("parts", &Scorer::parts, nb::arg("max_size"), nb::arg("first"), nb::arg("last"), nb::arg("control"),
             "The sets of some parts of all(), as bit masks, and their scores; None if stopped.")
        .def("sets", &Scorer::sets, nb::arg("sets"), "Scores of some sets, each the increasing indices of its columns.")
        .def("counts", &Scorer::counts, nb::arg("variables"),
             "Positive cell counts of one set, in units, by first occurrence.")
        .def("bytes", &Scorer::bytes, nb::arg("max_size"), nb::arg("threads"), "Memory that all() needs, estimated.");

    m.def("count_parts", &SetParts::count, nb::arg("n"), "Into how many parts all sets of n variables can be divided.");
    m.def("count_sets", &count_sets, nb::arg("n"), nb::arg("max_size"), "Sets of at most max_size out of n variables.");
    m.def("log_rising", &log_rising, nb::arg("a"), nb::arg("c"), "lgamma(a + c) - lgamma(a) without cancellation.");
    m.def(
        "log_rising_fraction",
        [](double a, double c, double rows) { return log_rising_fraction(a, c, rows, log_gamma_of_start(a)); },
        nb::arg("a"), nb::arg("c"), nb::arg("rows"), "lgamma(a + c) - lgamma(a) - c (log(rows) - 1), for any c.");
    m.def(
        "log_nml_constant", [](double draws, double cells) { return MultinomialNml(draws, cells).log_constant(cells); },
        nb::arg("draws"), nb::arg("cells"), "log of the multinomial NML normalising constant.");
}
