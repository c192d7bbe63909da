#include "checker/set_growth.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <stdexcept>

namespace chordlearn::checker {

namespace {

constexpr std::size_t kTestsAtOnce = 1 << 12;
constexpr std::int64_t kKnownCounts = 1 << 16;
constexpr long double kLowest = -0x1p60L;  // units

}  // namespace

SetGrowth::SetGrowth(const Table& table, const Growth& growth, std::size_t limit, std::function<void()> pause)
    : table_(table), growth_(growth), limit_(limit), pause_(std::move(pause)), is_inside_(table.columns, 0) {}

bool SetGrowth::run() {
    std::vector<int> all(table_.columns);
    for (std::size_t i = 0; i < all.size(); ++i) all[i] = static_cast<int>(i);
    return grow({std::vector<std::uint32_t>(table_.rows(), 0), 1}, 1, 0, all);
}

// What survives with a set are the only candidates for its extensions.
bool SetGrowth::grow(const Groups& groups, double joint_states, Units spent, const std::vector<int>& candidates) {
    std::vector<Extension> left;
    for (const int i : candidates) {
        if (!is_allowed(i)) continue;
        if (++tests_ % kTestsAtOnce == 0) pause_();
        const Units score = score_with(groups, joint_states, i);
        const auto place = static_cast<std::size_t>(i);
        if (growth_.most.empty() || spent + growth_.most[place] - score - price_with(i) < growth_.slack)
            left.push_back({i, score});
    }
    for (std::size_t k = 0; k < left.size(); ++k) {
        const int i = left[k].variable;
        const auto place = static_cast<std::size_t>(i);
        set_.push_back(i);
        is_inside_[place] = 1;
        found_.members.insert(found_.members.end(), set_.begin(), set_.end());
        found_.ends.push_back(static_cast<std::int64_t>(found_.members.size()));
        found_.scores.push_back(left[k].score);
        if (found_.scores.size() > limit_) return false;
        if (static_cast<int>(set_.size()) < growth_.largest && k + 1 < left.size()) {
            std::vector<int> later;
            for (std::size_t other = k + 1; other < left.size(); ++other) later.push_back(left[other].variable);
            const Units more = growth_.most.empty() ? 0 : growth_.most[place];
            if (!grow(split(groups, i), joint_states * table_.states[place], spent + more, later)) return false;
        }
        is_inside_[place] = 0;
        set_.pop_back();
    }
    return true;
}

bool SetGrowth::is_allowed(int variable) const {
    return std::none_of(growth_.forbidden.begin(), growth_.forbidden.end(), [&](const auto& pair) {
        return (pair.first == variable && is_inside_[static_cast<std::size_t>(pair.second)]) ||
               (pair.second == variable && is_inside_[static_cast<std::size_t>(pair.first)]);
    });
}

// The score of the set with one more variable.
Units SetGrowth::score_with(const Groups& groups, double joint_states, int variable) {
    const auto states = static_cast<std::size_t>(table_.states[static_cast<std::size_t>(variable)]);
    joint_states *= static_cast<double>(states);
    counts_.assign(groups.count * states, 0);
    for (std::size_t row = 0; row < table_.rows(); ++row)
        counts_[groups.of_row[row] * states + static_cast<std::size_t>(table_.code(row, variable))] +=
            table_.weights[row];
    std::vector<double>& known = known_terms_[joint_states];
    long double sum = growth_.rest(joint_states);
    std::int64_t single = 0;
    for (const std::int64_t count : counts_) {
        if (count > 1) {
            sum += term(known, count, joint_states);
        } else {
            single += count;
        }
    }
    if (single > 0) sum += static_cast<long double>(term(known, 1, joint_states)) * static_cast<long double>(single);
    const auto size = static_cast<long double>(set_.size() + 1);
    const long double units = (sum + growth_.edge_prior * size * (size - 1) / 2) * growth_.factor;
    if (!std::isfinite(units) || -units < kLowest)
        throw std::overflow_error("the score of a set is beyond all numbers");
    if (units < kLowest && growth_.most.empty()) throw std::overflow_error("the score of a set is beyond all numbers");
    return std::llroundl(std::max(units, kLowest));
}

double SetGrowth::term(std::vector<double>& known, std::int64_t count, double joint_states) {
    if (count >= kKnownCounts) return growth_.term(count, joint_states);
    const auto place = static_cast<std::size_t>(count);
    if (known.size() <= place) known.resize(place + 1, std::numeric_limits<double>::quiet_NaN());
    if (std::isnan(known[place])) known[place] = growth_.term(count, joint_states);
    return known[place];
}

SetGrowth::Groups SetGrowth::split(const Groups& groups, int variable) {
    const auto states = static_cast<std::size_t>(table_.states[static_cast<std::size_t>(variable)]);
    constexpr auto kNew = std::numeric_limits<std::uint32_t>::max();
    std::vector<std::uint32_t> number(groups.count * states, kNew);
    Groups finer{std::vector<std::uint32_t>(table_.rows()), 0};
    for (std::size_t row = 0; row < table_.rows(); ++row) {
        std::uint32_t& own = number[groups.of_row[row] * states + static_cast<std::size_t>(table_.code(row, variable))];
        if (own == kNew) own = finer.count++;
        finer.of_row[row] = own;
    }
    return finer;
}

// What cuts add to the set with one more variable.
Units SetGrowth::price_with(int variable) {
    is_inside_[static_cast<std::size_t>(variable)] = 1;
    const auto is_inside = [&](int i) { return is_inside_[static_cast<std::size_t>(i)] != 0; };
    Units sum = 0;
    for (const Cut& cut : growth_.cuts)
        if ((cut.at < 0 || !is_inside(cut.at)) && std::all_of(cut.apart.begin(), cut.apart.end(), is_inside) &&
            std::any_of(cut.among.begin(), cut.among.end(), is_inside))
            sum += static_cast<Units>(cut.multiplier);
    is_inside_[static_cast<std::size_t>(variable)] = 0;
    return sum;
}

}  // namespace chordlearn::checker
