#include <cmath>
#include <cstdint>
#include <limits>
#include <vector>

#include "scoring/all_sets.hpp"
#include "scoring/coded_table.hpp"
#include "scoring/log_rising.hpp"
#include "scoring/multinomial_nml.hpp"
#include "scoring/some_sets.hpp"
#include "scoring/sum.hpp"
#include "tests/check.hpp"
#include "tests/tables.hpp"

using namespace chordlearn;

namespace {

bool close(double a, double b, double tolerance) { return std::fabs(a - b) <= tolerance * (1.0 + std::fabs(b)); }

void log_rising_agrees_with_sums() {
    for (const double a : {1e-300, 1e-9, 0.5, 1.0, 15.9, 16.0, 1e6}) {
        Sum sum;
        for (int c = 0; c < 200; ++c) {
            CHECK(close(log_rising(a, c), sum.value(), 2e-13));
            sum.add(std::log(a + c));
        }
    }
    // 2^60 + small is not a double, so a difference of log-gammas would be lost entirely.
    CHECK(close(log_rising(std::ldexp(1.0, 60), 10.0), 600.0 * std::log(2.0), 1e-15));
}

void nml_constant_is_a_sum_over_samples() {
    // Three draws, two cells: 3:0 and 0:3 once each, 2:1 and 1:2 three times each with 4/27.
    CHECK(close(MultinomialNml(3, 2).log_constant(2), std::log(2.0 + 6.0 * 4.0 / 27.0), 1e-15));
    CHECK(MultinomialNml(3, 1).log_constant(1) == 0.0);
    CHECK(close(MultinomialNml(1, 1000).log_constant(1000), std::log(1000.0), 1e-12));
    const MultinomialNml nml(1e6, 4e6);
    const double last = static_cast<double>(MultinomialNml::kExactCells);
    CHECK(close(nml.log_constant(last + 1.0), nml.log_constant(last), 1e-5));
}

void units_are_fractions_of_counts() {
    const CodedTable whole = random_table(7, 60, {2, 3, 2, 4}, 9);
    CodedTable quarters = whole;
    for (std::uint64_t& weight : quarters.weights) weight *= 4;
    quarters.rows *= 4;
    for (const ScoreKind kind : {ScoreKind::bdeu, ScoreKind::dirichlet, ScoreKind::bic, ScoreKind::aic}) {
        SetScorer one(whole, {kind, 0.7, -0.25}), other(quarters, {kind, 0.7, -0.25, 0.25});
        for (const std::vector<int>& set : std::vector<std::vector<int>>{{0}, {1, 3}, {0, 1, 2, 3}})
            CHECK(close(one.score(set), other.score(set), 1e-12));
    }
    for (const double a : {1e-300, 1e-9, 0.5, 15.9, 16.0, 1e6})
        for (const double c : {1.0, 5.0, 40.0})
            CHECK(close(log_rising_fraction(a, c, 100.0, log_gamma_of_start(a)), log_rising_share(a, c, 100.0), 1e-12));
}

void all_sets_agree_with_single_sets() {
    const std::vector<std::vector<std::int64_t>> shapes = {
        {2}, {1, 3}, {2, 2, 2, 2, 2, 2, 2, 2, 2}, {4, 2, 1, 3, 7, 2, 2, 5, 2}, {2, 3, 5, 7, 11, 13}};
    unsigned seed = 0;
    for (const auto& arities : shapes) {
        for (const std::size_t distinct : {1, 2, 50, 2000}) {
            for (const std::int64_t largest : {1, 40, 1000000000}) {
                const CodedTable table = random_table(++seed, distinct, arities, largest);
                const int n = table.variables();
                for (const ScoreKind kind : {ScoreKind::bdeu, ScoreKind::dirichlet, ScoreKind::bic, ScoreKind::qnml}) {
                    const ScoreOptions options{kind, 0.7, -0.25};
                    SetScorer single(table, options);
                    for (const int max_size : {n, (n + 1) / 2}) {
                        Control control;
                        std::vector<double> one(std::size_t{1} << n), two(one.size());
                        CHECK(score_all_sets(table, options, max_size, 1, control, one.data()));
                        CHECK(control.done.load() == count_sets(n, max_size));
                        CHECK(score_all_sets(table, options, max_size, 3, control, two.data()));
                        CHECK(one == two);
                        for (std::size_t mask = 0; mask < one.size(); ++mask) {
                            std::vector<int> set;
                            for (int i = 0; i < n; ++i) {
                                if (mask >> i & 1) set.push_back(i);
                            }
                            if (static_cast<int>(set.size()) > max_size) {
                                CHECK(one[mask] == -std::numeric_limits<double>::infinity());
                            } else {
                                CHECK(close(one[mask], single.score(set), 1e-12));
                            }
                        }
                    }
                }
            }
        }
    }
}

void stops_when_asked() {
    const CodedTable table = random_table(1, 500, std::vector<std::int64_t>(16, 2), 1);
    std::vector<double> values(std::size_t{1} << 16);
    Control control;
    control.stop.store(true);
    CHECK(!score_all_sets(table, {}, 16, 1, control, values.data()));
    CHECK(control.done.load() < 5000);
}

}  // namespace

int main() {
    log_rising_agrees_with_sums();
    units_are_fractions_of_counts();
    nml_constant_is_a_sum_over_samples();
    all_sets_agree_with_single_sets();
    stops_when_asked();
}
