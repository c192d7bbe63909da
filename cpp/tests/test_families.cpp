#include <algorithm>
#include <atomic>
#include <cmath>
#include <limits>
#include <random>
#include <thread>
#include <vector>

#include "engine/exhaustive.hpp"
#include "families/family_bounds.hpp"
#include "families/left_sets.hpp"
#include "families/parent_search.hpp"
#include "scoring/some_sets.hpp"
#include "tests/check.hpp"
#include "tests/masks.hpp"
#include "tests/tables.hpp"

using namespace chordlearn;

namespace {

std::vector<int> members_of(unsigned mask) {
    std::vector<int> members;
    for (int i = 0; mask >> i; ++i)
        if (mask >> i & 1) members.push_back(i);
    return members;
}

// Columns of which some are copies of others, with errors, and some are parities.
CodedTable strange_table(unsigned seed, int n) {
    std::mt19937 random(seed);
    std::vector<std::int64_t> arities;
    for (int i = 0; i < n; ++i) arities.push_back(2 + static_cast<std::int64_t>(random() % (seed % 3 ? 2 : 4)));
    const std::size_t rows = 5 + random() % 60;
    std::vector<std::int32_t> codes;
    std::vector<std::int64_t> weights;
    for (std::size_t r = 0; r < rows; ++r) {
        std::vector<std::int32_t> row;
        for (int i = 0; i < n; ++i) {
            const auto arity = static_cast<std::int32_t>(arities[static_cast<std::size_t>(i)]);
            auto code = static_cast<std::int32_t>(random() % static_cast<unsigned>(arity));
            if (i > 0 && (seed + static_cast<unsigned>(i)) % 3 == 0 && random() % 8) code = row.back() % arity;
            if (i > 2 && (seed + static_cast<unsigned>(i)) % 4 == 0)
                code = (row[static_cast<std::size_t>(i - 1)] + row[static_cast<std::size_t>(i - 2)] +
                        row[static_cast<std::size_t>(i - 3)]) %
                       arity;
            row.push_back(code);
        }
        codes.insert(codes.end(), row.begin(), row.end());
        weights.push_back(seed % 5 ? 1 : 1 + static_cast<std::int64_t>(random() % 20));
    }
    return make_coded_table(codes.data(), weights.data(), rows, arities);
}

ScoreOptions some_options(unsigned seed) {
    constexpr double kParameters[] = {1, 0.3, 4, 1e-4, 60, 1000};
    ScoreOptions options;
    options.kind = seed % 4 == 1   ? ScoreKind::bic
                   : seed % 8 == 3 ? ScoreKind::aic
                   : seed % 8 == 7 ? ScoreKind::dirichlet
                                   : ScoreKind::bdeu;
    options.parameter = kParameters[seed % 6];
    options.edge_prior = seed % 7 == 0 ? -1.5 : seed % 7 == 1 ? 0.8 : 0;
    return options;
}

struct SomeCuts {
    std::vector<Cut> cuts;
    std::vector<double> multipliers;

    SomeCuts(unsigned seed, int n, double size, bool with_edges = true) {
        std::mt19937 random(seed);
        for (unsigned k = random() % 12; k > 0; --k) {
            std::vector<std::uint16_t> order;
            for (int i = 0; i < n; ++i) order.push_back(static_cast<std::uint16_t>(i));
            std::shuffle(order.begin(), order.end(), random);
            Cut cut;
            const std::size_t apart = random() % 3;
            const std::size_t among = std::min<std::size_t>(2 + random() % 4, order.size() - apart);
            std::sort(order.begin(), order.begin() + static_cast<std::ptrdiff_t>(apart));
            for (std::size_t i = 0; i < apart; ++i) cut.apart.push(order[i]);
            cut.among.assign(order.begin() + static_cast<std::ptrdiff_t>(apart),
                             order.begin() + static_cast<std::ptrdiff_t>(apart + among));
            if (apart > 0) cut.with = cut.among[0];
            std::sort(cut.among.begin(), cut.among.end());
            if (with_edges && apart == 0 && random() % 4 == 0) {
                cut.among.resize(2);
                cut.is_edge = true;
            }
            cuts.push_back(cut);
            multipliers.push_back(size * static_cast<double>(random() % 1000) / 1000);
        }
    }
};

// What prices add to a set, as a sum of coefficients.
double added(const std::vector<Cut>& cuts, const std::vector<double>& multipliers, unsigned set) {
    double sum = 0;
    for (std::size_t k = 0; k < cuts.size(); ++k) {
        for (unsigned part = set; part > 0; part = (part - 1) & set) {
            SmallSet small;
            for (const int i : members_of(part)) small.push(i);
            sum += multipliers[k] * coefficient_of(cuts[k], small);
        }
        // Coefficients leave out sets of one variable, each of which is complete.
        if (!cuts[k].is_edge && cuts[k].apart.size == 0)
            for (const int i : members_of(set))
                sum += multipliers[k] * static_cast<double>(std::count(cuts[k].among.begin(), cuts[k].among.end(), i));
    }
    return sum;
}

void test_prices_are_sums_of_coefficients() {
    for (unsigned seed = 0; seed < 40; ++seed) {
        const int n = 7;
        const SomeCuts some(seed, n, 3);
        const Prices prices(n, some.cuts, some.multipliers, 0x1p30);
        for (unsigned set = 0; set < 1u << n; ++set)
            CHECK(std::fabs(static_cast<double>(prices.of(members_of(set))) / 0x1p30 -
                            added(some.cuts, some.multipliers, set)) < 1e-6);
    }
}

// Keeps what a search gives away, whenever it may.
struct GivingAway : BranchSharing {
    explicit GivingAway(bool wants) : wants(wants) {}

    bool is_wanted() const override { return wants; }
    void give(const std::vector<int>& parents, double most) override { given.emplace_back(parents, most); }
    void lower(double) override {}

    bool wants;
    std::vector<std::pair<std::vector<int>, double>> given;
};

void test_search_agrees_with_all_sets_of_parents() {
    for (unsigned seed = 0; seed < 300; ++seed) {
        const int n = 3 + static_cast<int>(seed % 6);
        const CodedTable table = strange_table(seed, n);
        const ScoreOptions options = some_options(seed);
        const SomeCuts some(seed, n, seed % 2 ? 20 : 2);
        const Prices prices(n, some.cuts, some.multipliers, 0x1p30);
        const int most_parents = seed % 5 ? n - 1 : static_cast<int>(seed % 4);
        std::vector<std::vector<char>> forbidden;
        if (seed % 4 == 2) {
            forbidden.assign(static_cast<std::size_t>(n), std::vector<char>(static_cast<std::size_t>(n), 0));
            forbidden[0][1] = forbidden[1][0] = forbidden[1][2] = forbidden[2][1] = 1;
        }
        const ParentSpace space{table, options, most_parents, forbidden, prices, 0x1p30};
        SetScorer scorer(table, options);
        std::vector<double> worths;
        for (unsigned set = 0; set < 1u << n; ++set)
            worths.push_back(scorer.score(members_of(set)) + static_cast<double>(prices.of(members_of(set))) / 0x1p30);
        for (int child = 0; child < n; ++child) {
            double expected = -std::numeric_limits<double>::infinity();
            for (unsigned parents = 0; parents < 1u << n; ++parents) {
                const unsigned family = parents | 1u << child;
                const std::vector<int> members = members_of(family);
                if (parents >> child & 1 || static_cast<int>(members.size()) > most_parents + 1) continue;
                bool is_allowed = true;
                for (const int a : members)
                    for (const int b : members) is_allowed = is_allowed && !space.is_forbidden(a, b);
                if (is_allowed) expected = std::max(expected, worths[family] - worths[parents]);
            }
            std::atomic<double> best{-std::numeric_limits<double>::infinity()};
            FamilyCosts costs(options, table.rows, table.arities[static_cast<std::size_t>(child)]);
            ParentSearch search(space, child, best, costs, unwatched());
            const auto branches = search.branches();
            double at_most = best;
            for (const auto& branch : branches) at_most = std::max(at_most, branch.most);
            CHECK(at_most >= expected - search.error());
            GivingAway sharing(child % 2 == 0);
            for (const auto& branch : branches) search.run({branch.parent}, &sharing);
            while (!sharing.given.empty()) {
                const auto [parents, most] = sharing.given.back();
                sharing.given.pop_back();
                if (most > best) search.run(parents, &sharing);
            }
            CHECK(std::fabs(best - expected) < 1e-8);
            CHECK(search.error() < 1e-4);
        }
    }
}

bool has(const LeftSets& left, unsigned set) {
    for (std::size_t place = 0; place < left.count(); ++place)
        if (left.set(place) == members_of(set)) return true;
    return false;
}

void test_no_set_of_the_best_network_is_excluded() {
    for (unsigned seed = 0; seed < 60; ++seed) {
        const int n = 3 + static_cast<int>(seed % 4);
        const CodedTable table = strange_table(seed, n);
        const ScoreOptions options = some_options(seed);
        SetScorer scorer(table, options);
        std::vector<double> values{0};
        for (unsigned set = 1; set < 1u << n; ++set) values.push_back(scorer.score(members_of(set)));
        const Instance instance{n, values.data(), std::vector<Set>(static_cast<std::size_t>(n), 0)};
        const auto found = solve_exhaustive(instance, 2, Control{}).best;
        const SomeCuts some(seed, n, seed % 3 ? 1 : 10, false);
        Control control;
        FamilyBounds bounds(table, options, some.cuts, some.multipliers, n, {});
        CHECK(bounds.bound() == std::numeric_limits<double>::infinity());
        bounds.search(1 + static_cast<int>(seed % 2), control);
        CHECK(bounds.open_branches() == 0);
        CHECK(bounds.bound() >= found[0].score - 1e-9);
        // Hidden: only a worse network is known.
        const double lower = found.size() > 1 ? found[1].score - 1e-7 : found[0].score - 1;
        auto left = LeftSets::of(bounds, lower, 1 << 20, 2, control);
        CHECK(left.has_value());
        left->shrink(control);
        const SomeCuts others(seed + 1000, n, 3, false);
        left->price(others.cuts, others.multipliers, control);
        CHECK(left->bound() >= found[0].score - 1e-9);
        for (const Set clique : found[0].cliques)
            for (unsigned part = clique; part > 0; part = (part - 1) & clique) CHECK(has(*left, part));
        CHECK(!LeftSets::of(bounds, lower, 1, 1, control).has_value());
    }
}

void test_stops_and_goes_on() {
    const CodedTable table = random_table(1, 400, std::vector<std::int64_t>(30, 3), 1);
    FamilyBounds bounds(table, {}, {}, {}, 30, {});
    Control control;
    std::thread clock([&] {
        while (bounds.branches() == 0 || bounds.open_branches() == bounds.branches()) std::this_thread::yield();
        control.stop = true;
    });
    bool was_stopped = false;
    try {
        bounds.search(2, control);
    } catch (const Stopped&) {
        was_stopped = true;
    }
    clock.join();
    const double before = bounds.bound();
    CHECK(was_stopped && std::isfinite(before) && bounds.open_branches() > 0);
    // What was done is not done again.
    const std::size_t open = bounds.open_branches();
    control.stop = false;
    std::thread again([&] {
        while (bounds.open_branches() == open) std::this_thread::yield();
        control.stop = true;
    });
    try {
        bounds.search(2, control);
    } catch (const Stopped&) {
    }
    again.join();
    CHECK(bounds.open_branches() < open && bounds.bound() <= before);
}

void test_without_a_bound() {
    const CodedTable table = random_table(1, 20, {2, 2, 3}, 1);
    CHECK(!FamilyBounds::can_bound(table, {ScoreKind::qnml, 1, 0}));
    CHECK(!FamilyBounds::can_bound(table, {ScoreKind::bdeu, 1e-30, 0}));
    CHECK(FamilyBounds::can_bound(table, {ScoreKind::aic, 1, 0}));
}

}  // namespace

int main() {
    test_prices_are_sums_of_coefficients();
    test_search_agrees_with_all_sets_of_parents();
    test_no_set_of_the_best_network_is_excluded();
    test_stops_and_goes_on();
    test_without_a_bound();
}
