#include "scoring/all_sets.hpp"

#include <algorithm>
#include <atomic>
#include <cmath>
#include <exception>
#include <limits>
#include <mutex>
#include <numeric>
#include <stdexcept>
#include <system_error>
#include <thread>
#include <vector>

#include "scoring/cell_terms.hpp"
#include "scoring/rows.hpp"
#include "scoring/walker.hpp"

namespace chordlearn {
namespace {

// Variables with many states first: included they split the rows most, marginalised they merge most. Among equals the
// higher bits first, so that neighbouring decisions write to neighbouring places, and threads to different ones.
std::vector<int> decision_order(const CodedTable& table) {
    std::vector<int> order(static_cast<std::size_t>(table.variables()));
    std::iota(order.rbegin(), order.rend(), 0);
    std::stable_sort(order.begin(), order.end(), [&](int a, int b) {
        return table.arities[static_cast<std::size_t>(a)] > table.arities[static_cast<std::size_t>(b)];
    });
    return order;
}

template <class Count>
void walk_all(const Plan& plan, int threads) {
    const Rows<Count> root = sorted_rows<Count>(plan.table, plan.order, plan.control);
    if (threads <= 1 || plan.split == 0) {
        Walker<Count> walker(plan);
        walker.run(root, 0, 0);
        walker.finish();
        return;
    }
    const std::uint32_t prefixes = std::uint32_t{1} << plan.split;
    std::atomic<std::uint32_t> next{0};
    std::mutex failing;
    std::exception_ptr failure;
    const auto work = [&] {
        try {
            Walker<Count> walker(plan);
            for (std::uint32_t p; (p = next.fetch_add(1)) < prefixes && !plan.control.stop.load();)
                walker.run(root, plan.split, p);
            walker.finish();
        } catch (...) {
            const std::lock_guard lock(failing);
            failure = std::current_exception();
            plan.control.stop.store(true);
        }
    };
    std::vector<std::thread> others;
    try {
        for (int t = 1; t < std::min(threads, 1 << plan.split); ++t) others.emplace_back(work);
    } catch (const std::system_error&) {
        // The system gives no more threads; those there are do all the work.
    }
    work();
    for (std::thread& other : others) other.join();
    if (failure) std::rethrow_exception(failure);
}

double product(const std::vector<std::uint32_t>& factors, double add) {
    double result = 1.0;
    for (const std::uint32_t factor : factors) result *= factor + add;
    return result;
}

// At most this many terms: each set has no more cells than it could have, and no more than there are distinct rows.
double count_terms(const CodedTable& table, int max_size) {
    const double by_rows = count_sets(table.variables(), max_size) * static_cast<double>(table.distinct());
    return std::min(by_rows, product(table.arities, 1.0));
}

// Many prefixes, because their shares of the work differ widely, and as many for any number of threads.
int split_of(int n) { return n < 8 ? 0 : std::min(n - 4, 7); }

bool score_by(const CodedTable& table, const ScoreFunction& function, const CellTermsTable& terms, int max_size,
              int threads, Control& control, double* values) {
    const int n = table.variables();
    if (max_size < n) std::fill_n(values, std::size_t{1} << n, -std::numeric_limits<double>::infinity());
    if (max_size > 0) {
        const Plan plan{table, function, terms, decision_order(table), max_size, split_of(n), control, values};
        if (table.rows <= std::numeric_limits<std::uint32_t>::max()) {
            walk_all<std::uint32_t>(plan, threads);
        } else {
            walk_all<std::uint64_t>(plan, threads);
        }
    }
    values[0] = 0.0;
    return !control.stop.load();
}

template <class Count>
void walk_parts(const Plan& plan, int first, int last) {
    const Rows<Count> root = sorted_rows<Count>(plan.table, plan.order, plan.control);
    Walker<Count> walker(plan);
    for (int part = first; part < last && !plan.control.stop.load(); ++part)
        walker.run(root, plan.split, static_cast<std::uint32_t>(part));
    walker.finish();
}

}  // namespace

double count_sets(int n, int max_size) {
    double sets = 0.0, choose = 1.0;
    for (int size = 0; size <= std::min(n, max_size); ++size) {
        sets += choose;
        choose = choose * (n - size) / (size + 1);
    }
    return sets;
}

double all_sets_bytes(const CodedTable& table, int max_size, int threads) {
    const int n = table.variables();
    const double result = 8.0 * static_cast<double>(std::uint64_t{1} << n);
    const double count = table.rows <= std::numeric_limits<std::uint32_t>::max() ? 4.0 : 8.0;
    const double per_row = (count + 5.0) * (n + 1) + 5.0 * count + 8.0;
    const double dense = count * n * std::min(10.0 * static_cast<double>(table.distinct()), kMostDenseCells);
    const double terms = CellTermsTable::bytes(table.arities, table.rows, count_terms(table, max_size));
    return result + terms + std::max(threads, 1) * (per_row * static_cast<double>(table.distinct()) + dense);
}

bool score_all_sets(const CodedTable& table, const ScoreOptions& options, int max_size, int threads, Control& control,
                    double* values) {
    max_size = std::clamp(max_size, 0, table.variables());
    const ScoreFunction function(options, static_cast<double>(table.rows), product(table.arities, 0.0));
    const CellTermsTable terms(function, table.arities, max_size, count_terms(table, max_size), table.rows, control);
    return score_by(table, function, terms, max_size, threads, control, values);
}

bool score_all_sets(const CodedTable& table, const TermStore& store, int max_size, Control& control, double* values) {
    max_size = std::clamp(max_size, 0, table.variables());
    const CellTermsTable terms(store, table.arities, max_size, static_cast<double>(table.distinct()));
    return score_by(table, store.function(), terms, max_size, 1, control, values);
}

struct SetParts::Shared {
    Shared(const CodedTable& table, const ScoreOptions& options, int max_size)
        : table(table),
          max_size(max_size),
          function(options, static_cast<double>(table.rows), product(table.arities, 0.0)),
          terms(function, table.arities, max_size, count_terms(table, max_size), table.rows, unwatched()) {}

    const CodedTable& table;
    int max_size;
    ScoreFunction function;
    CellTermsTable terms;
};

SetParts::SetParts(const CodedTable& table, const ScoreOptions& options, int max_size) {
    if (max_size < 1) throw std::invalid_argument("there are no sets of this size");
    shared_ = std::make_unique<Shared>(table, options, std::min(max_size, table.variables()));
}

SetParts::~SetParts() = default;

int SetParts::count(int n) { return 1 << split_of(n); }

bool SetParts::score(int first, int last, Control& control, std::vector<std::uint32_t>& sets,
                     std::vector<double>& scores) const {
    const auto& [table, max_size, function, terms] = *shared_;
    const int n = table.variables();
    if (first < 0 || last > count(n)) throw std::invalid_argument("there is no such part");
    std::vector<double> values(std::size_t{1} << n, std::numeric_limits<double>::quiet_NaN());
    const Plan plan{table, function, terms, decision_order(table), max_size, split_of(n), control, values.data()};
    if (table.rows <= std::numeric_limits<std::uint32_t>::max()) {
        walk_parts<std::uint32_t>(plan, first, last);
    } else {
        walk_parts<std::uint64_t>(plan, first, last);
    }
    for (std::size_t set = 1; set < values.size(); ++set)
        if (!std::isnan(values[set])) {
            sets.push_back(static_cast<std::uint32_t>(set));
            scores.push_back(values[set]);
        }
    return !control.stop.load();
}

}  // namespace chordlearn
