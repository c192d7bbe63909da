#include "bounding/dual_ascent.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <unordered_set>

namespace chordlearn {

namespace {

constexpr std::size_t kFamilies = 300000;    // about, in the core
constexpr std::size_t kFewFamilies = 20000;  // all of them, if there are no more
constexpr double kCoreSlack = 0.3;           // of the gap by the square root of the variables
constexpr double kFirstStep = 0.2;           // of the gap by the variables
constexpr double kLargestStep = 2;           // the same, later
constexpr double kLeastStep = 0.05;
constexpr double kSkipped = 0.4;          // of the mean gain: a variable with less is passed over
constexpr int kMoves = 12;                // among the families of a variable, in one visit
constexpr int kPasses = 4;                // before the centre moves
constexpr int kCentres = 3;               // before cuts are looked for
constexpr int kIdleRounds = 3;            // that a cut without a say stays
constexpr double kFirstTolerance = 0.05;  // by which a cut must be violated
constexpr double kFinerTolerance = 0.7;   // times so much after poor rounds
constexpr double kLeastTolerance = 1e-7;
constexpr std::size_t kCutsPerRound = 1500;
constexpr std::size_t kFewCuts = 30;
constexpr double kLeastValue = 1e-6;  // of a set that counts as partly complete
constexpr double kLeastGain = 1e-11;
constexpr std::uint64_t kStepsPerSet = 60;  // between prices of all sets, which take about as long
constexpr std::uint64_t kLeastSteps = 500000;
constexpr std::uint64_t kMostChecks = 10;
constexpr std::uint64_t kCheckShare = 12;  // of all steps between checks: one in so many

}  // namespace

DualAscent::DualAscent(const PricedSets& sets, std::vector<std::size_t> cuts)
    : sets_(&sets), tolerance_(kFirstTolerance) {
    const auto n = static_cast<std::size_t>(sets.index().n());
    shares_.assign(n, {Share{0, 0, 0, 1, 0, {}}});
    order_.resize(n);
    std::iota(order_.begin(), order_.end(), 0);
    for (const std::size_t cut : cuts) add_row(cut, true);
}

void DualAscent::renew(double bound, double lower, const Control& control) {
    const auto n = static_cast<double>(shares_.size());
    lower_ = lower;
    const double gap = std::max(bound - lower, 1e-9);
    step_ = std::isinf(step_) ? kFirstStep * gap / n : std::min(step_, kLargestStep * gap / n);
    step_ = std::max(step_, kLeastStep);
    best_bound_ = std::numeric_limits<double>::infinity();
    renew_core(kCoreSlack * gap / std::sqrt(n), control);
    for (Row& row : rows_) row.terms = core_->terms(sets_->cut(row.cut));
    renew_matrix(control);
    const std::uint64_t least = kLeastSteps + kStepsPerSet * sets_->left();
    next_check_ = steps_ + std::clamp(steps_ / kCheckShare, least, kMostChecks * least);
}

// The families within the slack of the best of their child, and those that have weight.
void DualAscent::renew_core(double slack, const Control& control) {
    const SetIndex& index = sets_->index();
    const bool all = sets_->left() * static_cast<std::size_t>(index.largest()) <= kFewFamilies;
    std::vector<double> least = sets_->best_worths();
    for (double& worth : least) worth = all ? -std::numeric_limits<double>::infinity() : worth - slack;
    std::vector<std::pair<int, std::size_t>> families;
    for (const auto& family : sets_->families_above(least, kFamilies / least.size() + 1))
        families.emplace_back(family.child, family.set);
    for (std::size_t child = 0; child < shares_.size(); ++child) {
        auto& shares = shares_[child];
        for (std::size_t k = 1; k < shares.size(); ++k)
            if (sets_->is_excluded(shares[k].number))
                shares[0].amount += shares[k].amount;
            else
                families.emplace_back(child, shares[k].number);
        std::erase_if(shares, [&](const Share& share) { return share.number && sets_->is_excluded(share.number); });
    }
    core_.emplace(*sets_, families, control);
    for (std::size_t child = 0; child < shares_.size(); ++child)
        for (Share& share : shares_[child])
            if (share.number) share.family = core_->family(static_cast<int>(child), share.number);
    prices_.assign(core_->sets(), 0);
}

DualAscent::Share DualAscent::share_of(Place family) const {
    double weight = 0;
    for (const Place* part = core_->parts_begin(family); part != core_->parts_end(family); ++part)
        weight += core_->weight(*part);
    return {core_->number_of(family), family, weight, 0, 0, {}};
}

void DualAscent::add_row(std::size_t cut, bool stays) {
    rows_.push_back({cut, stays, 0, {}});
    if (core_) rows_.back().terms = core_->terms(sets_->cut(cut));
    constants_.push_back(constant_of(sets_->cut(cut)));
    centre_.push_back(0);
    slacks_.push_back(0);
    signed_.resize(2 * rows_.size());
}

// What is known by set and by family from what is known by cut.
void DualAscent::renew_matrix(const Control& control) {
    first_entry_.assign(core_->sets() + 1, 0);
    for (const Row& row : rows_)
        for (const auto& term : row.terms) ++first_entry_[term.set + 1];
    std::partial_sum(first_entry_.begin(), first_entry_.end(), first_entry_.begin());
    entries_.resize(first_entry_.back());
    std::vector<std::size_t> next(first_entry_.begin(), first_entry_.end() - 1);
    for (std::uint32_t row = 0; row < rows_.size(); ++row) {
        control.check();
        for (const auto& term : rows_[row].terms) entries_[next[term.set]++] = 2 * row + (term.coefficient < 0);
    }
    direction_.assign(rows_.size(), 0);
    std::vector<double> slacks = constants_;
    for (auto& shares : shares_)
        for (std::size_t k = 1; k < shares.size(); ++k) {
            shares[k].column = column_of(shares[k].family);
            for (const auto& [row, coefficient] : shares[k].column) slacks[row] += shares[k].amount * coefficient;
        }
    for (std::size_t row = 0; row < rows_.size(); ++row) set_slack(row, slacks[row]);
    steps_ += 4 * entries_.size();
}

DualAscent::Coefficients DualAscent::column_of(Place family) {
    touched_.clear();
    for (const Place* part = core_->parts_begin(family); part != core_->parts_end(family); ++part)
        for (std::size_t k = first_entry_[*part]; k < first_entry_[*part + 1]; ++k) {
            touched_.push_back(entries_[k] / 2);
            direction_[entries_[k] / 2] += entries_[k] % 2 ? -1 : 1;
        }
    Coefficients column;
    for (const std::uint32_t row : touched_)
        if (direction_[row] != 0) {
            column.emplace_back(row, direction_[row]);
            direction_[row] = 0;
        }
    steps_ += 2 * touched_.size();
    return column;
}

void DualAscent::set_slack(std::size_t row, double slack) {
    slacks_[row] = slack;
    signed_[2 * row] = std::max(0.0, centre_[row] - step_ * slack);
    signed_[2 * row + 1] = -signed_[2 * row];
}

void DualAscent::pull_prices(std::size_t child) {
    for (const Place set : core_->sets_of(static_cast<int>(child))) {
        double price = core_->weight(set);
        for (std::size_t k = first_entry_[set]; k < first_entry_[set + 1]; ++k) price += signed_[entries_[k]];
        prices_[set] = price;
        steps_ += 4 + first_entry_[set + 1] - first_entry_[set];
    }
}

double DualAscent::worth_of(Place family) const {
    double worth = 0;
    for (const Place* part = core_->parts_begin(family); part != core_->parts_end(family); ++part)
        worth += prices_[*part];
    return worth;
}

// Its first family if none is worth anything.
DualAscent::Place DualAscent::best_family(std::size_t child) const {
    const Place first = core_->first_of(static_cast<int>(child)), end = core_->end_of(static_cast<int>(child));
    Place best = first;
    double most = -std::numeric_limits<double>::infinity();
    for (Place family = first; family < end; ++family)
        if (const double worth = worth_of(family); worth > most) {
            most = worth;
            best = family;
        }
    return best;
}

// Returns what the variable could gain at the prices that it found.
double DualAscent::visit(std::size_t child, double least_gain) {
    auto& shares = shares_[child];
    if (core_->first_of(static_cast<int>(child)) == core_->end_of(static_cast<int>(child))) return 0;
    pull_prices(child);
    const Place best = best_family(child);
    double gain = std::max(0.0, worth_of(best));
    for (Share& share : shares) {
        share.worth = share.number ? worth_of(share.family) : 0;
        gain -= share.amount * share.worth;
    }
    if (gain <= std::max(least_gain, kLeastGain)) return gain;
    const auto is_best = [&](const Share& share) { return share.number && share.family == best; };
    if (std::none_of(shares.begin(), shares.end(), is_best)) {
        shares.push_back(share_of(best));
        shares.back().column = column_of(best);
        shares.back().worth = worth_of(best);
    }
    for (int move = 0; move < kMoves; ++move) {
        Share *to = &shares[0], *from = nullptr;
        for (Share& share : shares) {
            if (share.worth > to->worth) to = &share;
            if (share.amount > 0 && (!from || share.worth < from->worth)) from = &share;
        }
        if (to->worth - from->worth <= kLeastGain) break;
        move_weight(*from, *to);
        for (Share& share : shares) {
            share.worth = share.weight;
            for (const auto& [row, coefficient] : share.column) share.worth += coefficient * signed_[2 * row];
            steps_ += 2 * share.column.size();
        }
    }
    std::erase_if(shares, [](const Share& share) { return share.number && share.amount <= 0; });
    return gain;
}

void DualAscent::move_weight(Share& from, Share& to) {
    touched_.clear();
    for (const auto& [row, coefficient] : to.column) {
        direction_[row] = coefficient;
        touched_.push_back(row);
    }
    for (const auto& [row, coefficient] : from.column) {
        if (direction_[row] == 0) touched_.push_back(row);
        direction_[row] -= coefficient;
    }
    const double amount = best_step(to.worth - from.worth, from.amount);
    to.amount += amount;
    from.amount = amount < from.amount ? from.amount - amount : 0;
    for (const std::uint32_t row : touched_) {
        set_slack(row, slacks_[row] + amount * direction_[row]);
        direction_[row] = 0;
    }
}

// Where the derivative along the direction, which falls piece by piece, comes to 0; at most so far.
double DualAscent::best_step(double gain, double most) const {
    double low = 0, high = most, at = 0, derivative = gain;
    for (int iteration = 0; iteration < 20; ++iteration) {
        double curvature = 0;
        for (const std::uint32_t row : touched_)
            if (centre_[row] > step_ * (slacks_[row] + at * direction_[row]))
                curvature += direction_[row] * direction_[row];
        double next = curvature > 0 ? at + derivative / (step_ * curvature) : high;
        if (!(next > low && next < high)) next = derivative > 0 ? high : (low + high) / 2;
        const double before = at;
        at = next;
        derivative = gain;
        for (const std::uint32_t row : touched_) {
            const double old = std::max(0.0, centre_[row] - step_ * slacks_[row]);
            derivative +=
                direction_[row] * (std::max(0.0, centre_[row] - step_ * (slacks_[row] + at * direction_[row])) - old);
        }
        if (std::fabs(derivative) <= 1e-9 * gain || at == before) break;
        if (derivative > 0) {
            low = at;
            if (at == most) break;
        } else {
            high = at;
        }
    }
    return at;
}

void DualAscent::pass(const Control& control) {
    for (std::size_t k = order_.size(); k > 1; --k)
        std::swap(order_[k - 1], order_[random_.below(static_cast<std::uint32_t>(k))]);
    double sum = 0;
    for (const std::size_t child : order_) {
        control.check();
        sum += visit(child, kSkipped * mean_gain_);
    }
    mean_gain_ = sum / static_cast<double>(order_.size());
}

// To the multipliers of now, which are noted if their bound is the best.
void DualAscent::move_centre(const Control& control) {
    double bound = sets_->independent();
    for (std::size_t row = 0; row < rows_.size(); ++row) {
        centre_[row] = signed_[2 * row];
        bound += constants_[row] * centre_[row];
    }
    for (std::size_t child = 0; child < shares_.size(); ++child) {
        control.check();
        if (core_->first_of(static_cast<int>(child)) == core_->end_of(static_cast<int>(child))) continue;
        pull_prices(child);
        bound += std::max(0.0, worth_of(best_family(child)));
    }
    if (bound < best_bound_) {
        best_bound_ = bound;
        best_.clear();
        for (std::size_t row = 0; row < rows_.size(); ++row)
            if (centre_[row] > 0) best_.emplace_back(rows_[row].cut, centre_[row]);
    }
    for (std::size_t row = 0; row < rows_.size(); ++row) set_slack(row, slacks_[row]);
}

Point DualAscent::point() const {
    std::vector<double> values(core_->sets(), 0);
    for (const auto& shares : shares_)
        for (const Share& share : shares)
            if (share.number)
                for (const Place* part = core_->parts_begin(share.family); part != core_->parts_end(share.family);
                     ++part)
                    values[*part] += share.amount;
    Point point;
    for (Place set = 0; set < values.size(); ++set)
        if (values[set] > kLeastValue) {
            point.sets.push_back(core_->members(set));
            point.values.push_back(values[set]);
        }
    return point;
}

void DualAscent::separate(PricedSets& sets, const Control& control) {
    std::unordered_set<std::size_t> known;
    for (const Row& row : rows_) known.insert(row.cut);
    std::size_t added = 0;
    for (const Cut& cut : violated_cuts(point(), sets.index(), tolerance_, kCutsPerRound, control))
        if (const std::size_t place = sets.place_of(cut); known.insert(place).second) {
            add_row(place, false);
            ++added;
        }
    poor_rounds_ = added < kFewCuts ? poor_rounds_ + 1 : 0;
    if (poor_rounds_ == 2) {
        poor_rounds_ = 0;
        tolerance_ = std::max(kLeastTolerance, tolerance_ * kFinerTolerance);
    }
}

void DualAscent::drop_idle_rows() {
    std::size_t kept = 0;
    for (std::size_t row = 0; row < rows_.size(); ++row) {
        rows_[row].idle = signed_[2 * row] > 0 ? 0 : rows_[row].idle + 1;
        if (rows_[row].idle > kIdleRounds && !rows_[row].stays) continue;
        if (kept < row) rows_[kept] = std::move(rows_[row]);
        constants_[kept] = constants_[row];
        centre_[kept] = centre_[row];
        ++kept;
    }
    rows_.resize(kept);
    constants_.resize(kept);
    centre_.resize(kept);
    slacks_.resize(kept);
    signed_.resize(2 * kept);
}

bool DualAscent::work(PricedSets& sets, const Control& control) {
    for (int centre = 0; centre < kCentres; ++centre) {
        for (int k = 0; k < kPasses; ++k) pass(control);
        move_centre(control);
    }
    drop_idle_rows();
    separate(sets, control);
    renew_matrix(control);
    return steps_ >= next_check_ || best_bound_ <= lower_;
}

}  // namespace chordlearn
