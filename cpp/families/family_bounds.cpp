#include "families/family_bounds.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
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
    return FamilyCosts::has_bound(options.kind) && options.parameter < kLargestParameter &&
           options.parameter > 1 / kLargestParameter && std::fabs(options.edge_prior) < kLargestParameter &&
           static_cast<double>(table.rows) < kMostRows && table.variables() < kMostVariables;
}

void FamilyBounds::search(int threads, Control& control) {
    parallel_for(children_.size(), threads, [&](std::size_t child) { begin(child, control); });
    std::vector<std::pair<std::size_t, std::size_t>> open;
    for (std::size_t child = 0; child < children_.size(); ++child)
        for (std::size_t branch = 0; branch < children_[child]->most.size(); ++branch)
            if (!children_[child]->is_done[branch]) open.emplace_back(child, branch);
    parallel_for(open.size(), threads, [&](std::size_t k) { look_through(open[k].first, open[k].second, control); });
    const std::lock_guard lock(guard_);
    idle_.clear();
}

void FamilyBounds::begin(std::size_t index, const Control& control) {
    Child& child = *children_[index];
    if (child.has_branches) return;
    auto search = std::make_unique<ParentSearch>(space_, static_cast<int>(index), child.best, control);
    try {
        const int count = search->branches();
        const std::lock_guard lock(guard_);
        for (int branch = 0; branch < count; ++branch) child.most.push_back(search->branch_at_most(branch));
        child.is_done.assign(static_cast<std::size_t>(count), 0);
        child.error = search->error();
        child.has_branches = true;
    } catch (const std::length_error&) {
        // Nothing is known of it.
    }
}

void FamilyBounds::look_through(std::size_t index, std::size_t branch, const Control& control) {
    control.check();
    Child& child = *children_[index];
    if (child.most[branch] > child.best) {
        auto search = idle_search(index);
        if (!search) {
            search = std::make_unique<ParentSearch>(space_, static_cast<int>(index), child.best, control);
            search->branches();
        }
        const std::uint64_t before = search->nodes();
        try {
            search->run(static_cast<int>(branch));
        } catch (const std::length_error&) {
            return;
        }
        nodes_ += search->nodes() - before;
        const std::lock_guard lock(guard_);
        std::erase_if(idle_, [&](const auto& other) { return other.first < index; });
        idle_.emplace_back(index, std::move(search));
    }
    const std::lock_guard lock(guard_);
    child.is_done[branch] = 1;
}

std::unique_ptr<ParentSearch> FamilyBounds::idle_search(std::size_t child) {
    const std::lock_guard lock(guard_);
    for (auto& [of, search] : idle_)
        if (of == child && search) {
            auto found = std::move(search);
            std::erase_if(idle_, [](const auto& other) { return !other.second; });
            return found;
        }
    return nullptr;
}

Units FamilyBounds::most(int child) const {
    const std::lock_guard lock(guard_);
    const Child& own = *children_[static_cast<std::size_t>(child)];
    if (!own.has_branches) return kUnbounded;
    double most = own.best;
    for (std::size_t branch = 0; branch < own.most.size(); ++branch)
        if (!own.is_done[branch]) most = std::max(most, own.most[branch]);
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
    std::size_t count = 0;
    for (const auto& child : children_) count += child->most.size();
    return count;
}

std::size_t FamilyBounds::open_branches() const {
    const std::lock_guard lock(guard_);
    std::size_t count = 0;
    for (const auto& child : children_)
        for (const char done : child->is_done) count += !done;
    return count;
}

}  // namespace chordlearn
