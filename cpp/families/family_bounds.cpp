#include "families/family_bounds.hpp"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <limits>
#include <map>
#include <stdexcept>

#include "common/parallel.hpp"

namespace chordlearn {

namespace {

constexpr double kFinest = 0x1p30;          // units in 1, if scores are small enough
constexpr double kLargest = 0x1p58;         // units that no score of a set reaches
constexpr double kLargestPerRow = 2000;     // more than any row can cost
constexpr double kRounding = 2e-15;         // relative, of the score of a set
constexpr double kLargestParameter = 1e20;  // also of its inverse
constexpr double kMostRows = 0x1p31;
constexpr int kMostVariables = 1 << 14;

std::vector<std::vector<char>> pairs_of(int n, const std::vector<std::pair<int, int>>& forbidden) {
    std::vector<std::vector<char>> pairs;
    if (forbidden.empty()) return pairs;
    pairs.assign(static_cast<std::size_t>(n), std::vector<char>(static_cast<std::size_t>(n), 0));
    for (const auto& [a, b] : forbidden)
        pairs.at(static_cast<std::size_t>(a)).at(static_cast<std::size_t>(b)) =
            pairs.at(static_cast<std::size_t>(b)).at(static_cast<std::size_t>(a)) = 1;
    return pairs;
}

}  // namespace

double rounding_of_networks(int n, double largest_score, double scale) {
    // At most n cliques and n separators, each rounded to units once; and four ways to add up a score.
    return 2.0 * n * (0.5 / scale + 4 * kRounding * largest_score);
}

FamilyBounds::FamilyBounds(const CodedTable& table, const ScoreOptions& options, const std::vector<Cut>& cuts,
                           const std::vector<double>& multipliers, int largest,
                           const std::vector<std::pair<int, int>>& forbidden)
    : prices_(table.variables(), cuts, multipliers, scale_for(table)),
      space_{table, options, largest - 1, pairs_of(table.variables(), forbidden), prices_, scale_for(table)} {
    if (largest < 1) throw std::invalid_argument("cliques have at least one variable");
    if (!can_bound(table, options)) throw std::invalid_argument("there is no bound for families of any size");
    for (int i = 0; i < table.variables(); ++i) {
        children_.push_back(std::make_unique<Child>());
        children_.back()->best = -std::numeric_limits<double>::infinity();
    }
}

double FamilyBounds::scale_for(const CodedTable& table) {
    double scale = kFinest;
    while (static_cast<double>(table.rows) * kLargestPerRow * scale > kLargest) scale /= 2;
    return scale;
}

double FamilyBounds::largest_score() const { return static_cast<double>(space_.table.rows) * kLargestPerRow + 1; }

bool FamilyBounds::can_bound(const CodedTable& table, const ScoreOptions& options) {
    return options.unit == 1.0 && FamilyCosts::has_bound(options.kind) && options.parameter < kLargestParameter &&
           options.parameter > 1 / kLargestParameter && std::fabs(options.edge_prior) < kLargestParameter &&
           static_cast<double>(table.rows) < kMostRows && table.variables() < kMostVariables;
}

// Takes one branch after the other, and gives parts of its own to threads that have none.
class FamilyBounds::Worker : public BranchSharing {
public:
    Worker(FamilyBounds& bounds, const Control& control, std::atomic<bool>& has_failed)
        : bounds_(bounds), control_(control), has_failed_(has_failed) {}

    void run() {
        try {
            while (take()) {
                look_through();
                release(true);
            }
        } catch (...) {
            has_failed_ = true;
            if (branch_) release(false);
            throw;
        }
    }

    bool is_wanted() const override { return bounds_.idle_.load(std::memory_order_relaxed) > 0; }

    void give(const std::vector<int>& parents, double most) override {
        const std::lock_guard lock(bounds_.guard_);
        bounds_.add(*bounds_.children_[child_], parents, std::min(most, branch_->most.load()));
        bounds_.changed_.notify_one();
    }

    void lower(double most) override {
        if (most < branch_->most) branch_->most = most;
    }

private:
    // Waits if all branches are taken; false if there are none.
    bool take() {
        std::unique_lock lock(bounds_.guard_);
        for (;;) {
            control_.check();
            if (has_failed_) return false;
            if (find()) {
                branch_->is_taken = true;
                ++bounds_.taken_;
                return true;
            }
            if (bounds_.taken_ == 0) return false;
            ++bounds_.idle_;
            bounds_.changed_.wait_for(lock, std::chrono::milliseconds(20));
            --bounds_.idle_;
        }
    }

    // Goes on with a child until it has no branches, so that its bound falls soon; then with the widest open one.
    bool find() {
        if (search_ && find_of(child_) > 0) return true;
        search_.reset();
        double widest = 0;
        std::size_t chosen = 0;
        for (std::size_t index = 0; index < bounds_.children_.size(); ++index)
            if (const double open = find_of(index); open > widest) {
                widest = open;
                chosen = index;
            }
        child_ = chosen;
        return find_of(child_) > 0;
    }

    // The branch of a child that may be worth most; returns by how much more than the best found.
    double find_of(std::size_t index) {
        Child& child = *bounds_.children_[index];
        std::erase_if(child.branches,
                      [&](const auto& branch) { return !branch->is_taken && !(branch->most > child.best); });
        double widest = 0;
        for (const auto& branch : child.branches)
            if (!branch->is_taken && branch->most - child.best > widest) {
                widest = branch->most - child.best;
                branch_ = branch.get();
            }
        return widest;
    }

    void look_through() {
        Child& child = *bounds_.children_[child_];
        if (!search_) {
            const std::uint32_t states = bounds_.space_.table.arities[child_];
            auto& costs = costs_[states];
            if (!costs)
                costs = std::make_unique<FamilyCosts>(bounds_.space_.options, bounds_.space_.table.rows, states);
            search_ =
                std::make_unique<ParentSearch>(bounds_.space_, static_cast<int>(child_), child.best, *costs, control_);
            search_->branches();
        }
        const std::uint64_t before = search_->nodes();
        try {
            search_->run(branch_->parents, this);
        } catch (const std::length_error&) {
            is_beyond_ = true;
        }
        bounds_.nodes_ += search_->nodes() - before;
    }

    void release(bool is_done) {
        const std::lock_guard lock(bounds_.guard_);
        --bounds_.taken_;
        branch_->is_taken = is_beyond_;
        if (is_beyond_) search_.reset();
        if (is_done && !is_beyond_) branch_->most = -std::numeric_limits<double>::infinity();
        is_beyond_ = false;
        branch_ = nullptr;
        bounds_.changed_.notify_all();
    }

    FamilyBounds& bounds_;
    const Control& control_;
    std::atomic<bool>& has_failed_;
    std::size_t child_ = 0;
    Branch* branch_ = nullptr;
    bool is_beyond_ = false;                                       // more than can be looked through: it stays open
    std::unique_ptr<ParentSearch> search_;                         // of the child
    std::map<std::uint32_t, std::unique_ptr<FamilyCosts>> costs_;  // by the states of children
};

void FamilyBounds::search(int threads, Control& control) {
    parallel_for(children_.size(), threads, [&](std::size_t child) { begin(child, control); });
    std::atomic<bool> has_failed{false};
    const auto workers = static_cast<std::size_t>(std::max(1, threads));
    parallel_for(workers, threads, [&](std::size_t) { Worker(*this, control, has_failed).run(); });
}

void FamilyBounds::begin(std::size_t index, const Control& control) {
    Child& child = *children_[index];
    if (child.has_branches) return;
    FamilyCosts costs(space_.options, space_.table.rows, space_.table.arities[index]);
    ParentSearch search(space_, static_cast<int>(index), child.best, costs, control);
    std::vector<ParentSearch::Root> roots;
    try {
        roots = search.branches();
    } catch (const std::length_error&) {
        return;  // nothing is known of it
    }
    const std::lock_guard lock(guard_);
    for (const auto& [parent, most] : roots) add(child, {parent}, most);
    child.error = search.error();
    child.has_branches = true;
}

void FamilyBounds::add(Child& child, std::vector<int> parents, double most) {
    auto branch = std::make_unique<Branch>();
    branch->parents = std::move(parents);
    branch->most = most;
    child.branches.push_back(std::move(branch));
    ++branches_;
}

Units FamilyBounds::most(int child) const {
    const std::lock_guard lock(guard_);
    const Child& own = *children_[static_cast<std::size_t>(child)];
    if (!own.has_branches) return kUnbounded;
    double most = own.best;
    for (const auto& branch : own.branches) most = std::max(most, branch->most.load());
    // Also what the scores of the two sets of a family lose by rounding.
    const double rounded = (most + own.error + rounding_of_networks(1, largest_score(), space_.scale)) * space_.scale;
    return rounded < static_cast<double>(kUnbounded) ? static_cast<Units>(std::ceil(rounded)) + 2 : kUnbounded;
}

double FamilyBounds::bound() const {
    double sum = 0;
    __int128 total = -static_cast<__int128>(prices_.constant());
    for (int i = 0; i < n(); ++i) {
        const Units own = most(i);
        if (own == kUnbounded) return std::numeric_limits<double>::infinity();
        total += own;
    }
    sum = static_cast<double>(total) / space_.scale + rounding_of_networks(n(), largest_score(), space_.scale);
    return std::nextafter(sum, std::numeric_limits<double>::infinity());
}

std::size_t FamilyBounds::branches() const {
    const std::lock_guard lock(guard_);
    return branches_;
}

std::size_t FamilyBounds::open_branches() const {
    const std::lock_guard lock(guard_);
    std::size_t count = 0;
    for (const auto& child : children_)
        for (const auto& branch : child->branches) count += branch->most > child->best;
    return count;
}

}  // namespace chordlearn
