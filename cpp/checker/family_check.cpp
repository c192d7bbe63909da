#include "checker/family_check.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>
#include <stdexcept>

namespace chordlearn::checker {

namespace {

constexpr std::size_t kSortedDepth = 3;        // nodes above it sort their pool
constexpr std::size_t kKnownCounts = 1 << 16;  // terms of counts below it are looked up
constexpr double kMostJointStates = 1e280;
constexpr double kInfinity = std::numeric_limits<double>::infinity();

double log_gamma(double x) {
    int sign = 0;
    return lgamma_r(x, &sign);
}

bool holds(const std::vector<int>& set, int variable) {
    return std::find(set.begin(), set.end(), variable) != set.end();
}

std::vector<int> without(const std::vector<int>& set, int variable) {
    std::vector<int> rest;
    for (const int member : set)
        if (member != variable) rest.push_back(member);
    return rest;
}

}  // namespace

double LogProducts::of(std::int64_t count) {
    const auto place = static_cast<std::size_t>(count);
    if (place >= kKnownCounts) return log_gamma(x_ + static_cast<double>(count)) - log_gamma(x_);
    while (known_.size() <= place) {
        sum_ += std::log(x_ + static_cast<double>(known_.size() - 1));
        known_.push_back(static_cast<double>(sum_));
    }
    return known_[place];
}

double EntropyTerms::of(std::int64_t count) {
    const auto term = [](double n) { return n * std::log(n); };
    const auto place = static_cast<std::size_t>(count);
    if (place >= kKnownCounts) return term(static_cast<double>(count));
    while (known_.size() <= place) known_.push_back(term(static_cast<double>(known_.size())));
    return known_[place];
}

FamilyCheck::FamilyCheck(const Table& table, const Question& question, int child, double most)
    : table_(table), question_(question), child_(child), most_(most) {
    const auto place = static_cast<std::size_t>(child);
    if (child < 0 || place >= table.columns) throw std::out_of_range("there is no such child");
    states_ = table.states[place];
    log_states_ = std::log(states_);
    is_parent_.assign(table.columns, 0);
    is_forbidden_.assign(table.columns, std::vector<char>(table.columns, 0));
    for (const auto& [a, b] : question.forbidden)
        is_forbidden_[static_cast<std::size_t>(a)][static_cast<std::size_t>(b)] =
            is_forbidden_[static_cast<std::size_t>(b)][static_cast<std::size_t>(a)] = 1;
    for (const Cut& cut : question.cuts) {
        // In V(P + i) - V(P) a cut counts with i among what must be there, or among what must be met; or with i as what
        // must be lacked, where V(P) has it and V(P + i) has not.
        if (holds(cut.apart, child)) {
            terms_.push_back({true, cut.multiplier, without(cut.apart, child), cut.among, cut.at});
        } else if (cut.at == child) {
            losses_.push_back({cut.multiplier, cut.apart, cut.among});
        } else if (holds(cut.among, child)) {
            terms_.push_back({false, cut.multiplier, cut.apart, without(cut.among, child), -1});
        }
    }
    for (const std::int64_t weight : table.weights) total_ += static_cast<double>(weight);
    // Sums are made in extended precision; so the error is that of the terms, some units in the last place of each.
    // Terms are sums of logarithms of numbers up to the total, and down to the smallest parameter.
    double gains = 0;
    for (const Cut& cut : question.cuts) gains += cut.multiplier;
    const auto rows = static_cast<double>(table.rows());
    const double terms = 4 * (total_ + 1) * (std::log(total_ + question.ess + 2) + 1) + 4 * rows * 700 + gains +
                         std::fabs(question.edge_prior) * static_cast<double>(table.columns);
    error_ = std::ldexp(terms, -48);
    begin();
}

void FamilyCheck::begin() {
    frames_.resize(table_.columns + 1);
    Frame& root = frames_[0];
    for (int i = 0; i < static_cast<int>(table_.columns); ++i)
        if (i != child_ && is_allowed(i)) root.order.push_back(i);
    for (std::uint32_t row = 0; row < table_.rows(); ++row)
        root.rows.push_back({row, 0, static_cast<std::uint16_t>(table_.code(row, child_)), table_.weights[row]});
    close(root, 0);
    open(root);
}

bool FamilyCheck::advance(std::int64_t nodes) {
    for (; nodes > 0 && !is_done_; --nodes) {
        Frame& frame = frames_[depth_];
        if (frame.place >= frame.end) {
            is_done_ = depth_ == 0;
            if (depth_ > 0) {
                --depth_;
                is_parent_[static_cast<std::size_t>(parents_.back())] = 0;
                parents_.pop_back();
            }
            continue;
        }
        const int place = frame.place++;
        const int variable = frame.order[static_cast<std::size_t>(place)];
        if (!is_allowed(variable)) continue;
        parents_.push_back(variable);
        is_parent_[static_cast<std::size_t>(variable)] = 1;
        Frame& next = frames_[depth_ + 1];
        split(frame, place, next);
        ++depth_;
        next.place = next.end = 0;
        // All that is worth more than this has no such parents.
        const double least_cost =
            question_.score == Score::bdeu ? log_states_ * next.occupied : penalty(next.joint_states);
        const double hope =
            prior_at_most(frame, 0, place + 1) - least_cost + frame.gains[static_cast<std::size_t>(place)];
        if (hope + error_ > most_) {
            next.order = frame.order;
            next.place = place + 1;
            open(next);
        }
    }
    return is_done_;
}

// A node with its parents: is the family worth more, and which of the pool may make it so?
void FamilyCheck::open(Frame& frame) {
    ++nodes_;
    if (worth_at_most(frame) + error_ > most_ && exact_worth() + error_ > most_) {
        counterexample_ = parents_;
        is_done_ = true;
        return;
    }
    const int size = static_cast<int>(frame.order.size());
    frame.end = frame.place;
    if (frame.place == size || static_cast<int>(parents_.size()) >= question_.most_parents) return;
    if (depth_ < kSortedDepth) sort_pool(frame);
    find_gains(frame);
    const auto is_hopeless = [&](int place) { return at_most(frame, place) + error_ <= most_; };
    if (is_hopeless(frame.place)) return;
    int low = frame.place + 1, high = size;
    while (low < high) {
        const int middle = low + (high - low) / 2;
        if (is_hopeless(middle)) {
            high = middle;
        } else {
            low = middle + 1;
        }
    }
    frame.end = high;
}

bool FamilyCheck::is_allowed(int variable) const {
    const std::vector<char>& barred = is_forbidden_[static_cast<std::size_t>(variable)];
    return !barred[static_cast<std::size_t>(child_)] && std::none_of(parents_.begin(), parents_.end(), [&](int parent) {
        return barred[static_cast<std::size_t>(parent)];
    });
}

// Those that split most come first, for then the others hope for little.
void FamilyCheck::sort_pool(Frame& frame) {
    std::vector<std::pair<double, int>> keys;
    Frame trial;
    for (int place = frame.place; place < static_cast<int>(frame.order.size()); ++place) {
        split(frame, place, trial);
        keys.emplace_back(-5 * trial.occupied - worth_at_most(trial), frame.order[static_cast<std::size_t>(place)]);
    }
    std::sort(keys.begin(), keys.end());
    for (std::size_t k = 0; k < keys.size(); ++k)
        frame.order[static_cast<std::size_t>(frame.place) + k] = keys[k].second;
    sort_rows(frame);
}

// In each cell, by the pool from its last variable on.
void FamilyCheck::sort_rows(Frame& frame) {
    std::size_t begin = 0;
    const auto last_difference = [&](std::uint32_t a, std::uint32_t b) {
        int place = static_cast<int>(frame.order.size()) - 1;
        while (place >= frame.place && table_.code(a, frame.order[static_cast<std::size_t>(place)]) ==
                                           table_.code(b, frame.order[static_cast<std::size_t>(place)]))
            --place;
        return place;
    };
    for (const Cell& cell : frame.cells) {
        const auto first = frame.rows.begin() + static_cast<std::ptrdiff_t>(begin);
        std::sort(first, frame.rows.begin() + static_cast<std::ptrdiff_t>(cell.end), [&](const Row& a, const Row& b) {
            const int place = last_difference(a.number, b.number);
            if (place < frame.place) return a.number < b.number;
            const int variable = frame.order[static_cast<std::size_t>(place)];
            return table_.code(a.number, variable) < table_.code(b.number, variable);
        });
        for (std::size_t k = begin + 1; k < cell.end; ++k)
            frame.rows[k].differs = last_difference(frame.rows[k - 1].number, frame.rows[k].number);
        begin = cell.end;
    }
}

// The node with the variable at some place of the order as one more parent; its pool begins after that place.
void FamilyCheck::split(const Frame& from, int place, Frame& to) {
    const int variable = from.order[static_cast<std::size_t>(place)];
    const auto states = static_cast<std::size_t>(table_.states[static_cast<std::size_t>(variable)]);
    to.rows.clear();
    to.cells.clear();
    to.joint_states = from.joint_states * static_cast<double>(states);
    to.single_rows = to.occupied = from.single_rows;
    if (groups_.size() < states) groups_.resize(states);
    passed_.assign(states, 0);
    std::size_t begin = 0;
    for (const Cell& cell : from.cells) {
        for (auto& group : groups_) group.clear();
        run_begins_.assign(states, 0);
        for (std::size_t k = begin; k < cell.end; ++k) {
            // Rows between two of a group differ from both no later than the two do.
            for (std::int32_t& most : passed_) most = std::max(most, from.rows[k].differs);
            const auto code = static_cast<std::size_t>(table_.code(from.rows[k].number, variable));
            std::vector<Row>& group = groups_[code];
            // Of rows that agree on the rest of the pool, those with the same state of the child become one.
            if (passed_[code] > place) run_begins_[code] = group.size();
            std::size_t same = run_begins_[code];
            while (same < group.size() && group[same].state != from.rows[k].state) ++same;
            if (same < group.size()) {
                group[same].weight += from.rows[k].weight;
            } else {
                group.push_back(from.rows[k]);
                group.back().differs = passed_[code];
            }
            passed_[code] = -1;
        }
        begin = cell.end;
        for (const auto& group : groups_) {
            if (group.empty()) continue;
            const std::size_t first = to.rows.size();
            to.rows.insert(to.rows.end(), group.begin(), group.end());
            close(to, first);
        }
    }
}

// The rows from `begin` on become a cell; one row alone is only counted.
void FamilyCheck::close(Frame& frame, std::size_t begin) {
    seen_.assign(static_cast<std::size_t>(states_), 0);
    double occurring = 0;
    for (std::size_t k = begin; k < frame.rows.size(); ++k) {
        char& is_seen = seen_[frame.rows[k].state];
        occurring += !is_seen;
        is_seen = 1;
    }
    frame.occupied += occurring;
    if (frame.rows.size() - begin == 1) {
        frame.single_rows += 1;
        frame.rows.resize(begin);
    } else if (frame.rows.size() > begin) {
        frame.cells.push_back({frame.rows.size(), occurring == 1});
    }
}

double FamilyCheck::penalty(double joint_states) const {
    if (question_.score == Score::bdeu) return 0;
    return (question_.score == Score::bic ? 0.5 * std::log(total_) : 1) * (states_ - 1) * joint_states;
}

FamilyCheck::Products& FamilyCheck::products_of(double joint_states) {
    const auto found = known_products_.find(joint_states);
    if (found != known_products_.end()) return found->second;
    if (joint_states > kMostJointStates) throw std::length_error("the parents have too many joint states");
    const double parameter = question_.ess / joint_states;
    const Products products{parameter, LogProducts(parameter), LogProducts(parameter / states_)};
    return known_products_.emplace(joint_states, products).first->second;
}

// What rows with these counts of the child's states cost in one joint state of the parents, as minus a log-likelihood.
double FamilyCheck::cell_costs(const std::vector<std::int64_t>& counts, std::int64_t total, Products& products) {
    if (question_.score != Score::bdeu) return entropy_of(counts, total);
    long double cost = products.whole.of(total);
    for (const std::int64_t count : counts)
        if (count > 0) cost -= products.part.of(count);
    return static_cast<double>(cost);
}

double FamilyCheck::entropy_of(const std::vector<std::int64_t>& counts, std::int64_t total) {
    long double entropy = entropy_terms_.of(total);
    for (const std::int64_t count : counts)
        if (count > 1) entropy -= entropy_terms_.of(count);
    return static_cast<double>(entropy);
}

// The family's worth, but that rows alone in their joint state count as if they occurred once, which costs least.
double FamilyCheck::worth_at_most(const Frame& frame) {
    Products& products = products_of(frame.joint_states);
    long double cost = question_.score == Score::bdeu ? log_states_ * frame.single_rows : penalty(frame.joint_states);
    std::vector<std::int64_t>& counts = whole_;
    std::size_t begin = 0;
    for (const Cell& cell : frame.cells) {
        counts.assign(static_cast<std::size_t>(states_), 0);
        std::int64_t total = 0;
        for (; begin < cell.end; ++begin) {
            counts[frame.rows[begin].state] += frame.rows[begin].weight;
            total += frame.rows[begin].weight;
        }
        cost += cell_costs(counts, total, products);
    }
    return static_cast<double>(question_.edge_prior * static_cast<double>(parents_.size()) + cuts_add() - cost);
}

// The worth of the child with its present parents, counted anew.
double FamilyCheck::exact_worth() {
    std::vector<std::uint32_t> rows(table_.rows());
    std::iota(rows.begin(), rows.end(), 0u);
    const auto compare = [&](std::uint32_t a, std::uint32_t b) {
        for (const int parent : parents_)
            if (table_.code(a, parent) != table_.code(b, parent))
                return table_.code(a, parent) < table_.code(b, parent) ? -1 : 1;
        return 0;
    };
    std::sort(rows.begin(), rows.end(), [&](std::uint32_t a, std::uint32_t b) { return compare(a, b) < 0; });
    double joint_states = 1;
    for (const int parent : parents_) joint_states *= table_.states[static_cast<std::size_t>(parent)];
    Products& products = products_of(joint_states);
    long double cost = penalty(joint_states);
    std::vector<std::int64_t> counts(static_cast<std::size_t>(states_));
    for (std::size_t k = 0; k < rows.size();) {
        const std::uint32_t first = rows[k];
        std::fill(counts.begin(), counts.end(), 0);
        std::int64_t total = 0;
        for (; k < rows.size() && compare(first, rows[k]) == 0; ++k) {
            counts[static_cast<std::size_t>(table_.code(rows[k], child_))] += table_.weights[rows[k]];
            total += table_.weights[rows[k]];
        }
        cost += cell_costs(counts, total, products);
    }
    return static_cast<double>(question_.edge_prior * static_cast<double>(parents_.size()) + cuts_add() - cost);
}

double FamilyCheck::cuts_add() const {
    const auto is_parent = [&](int variable) { return is_parent_[static_cast<std::size_t>(variable)] != 0; };
    const auto all = [&](const std::vector<int>& set) { return std::all_of(set.begin(), set.end(), is_parent); };
    const auto any = [&](const std::vector<int>& set) { return std::any_of(set.begin(), set.end(), is_parent); };
    double sum = 0;
    for (const Term& term : terms_)
        if (all(term.all) && any(term.among) == term.needs_meeting && !(term.at >= 0 && is_parent(term.at)))
            sum += term.gain;
    for (const Loss& loss : losses_)
        if (all(loss.all) && any(loss.among)) sum -= loss.loss;
    return sum;
}

// What cuts add with the present parents and any of the pool from each place on, at most.
void FamilyCheck::find_gains(Frame& frame) const {
    const int size = static_cast<int>(frame.order.size());
    std::vector<int> places(table_.columns, -1);
    for (int place = frame.place; place < size; ++place)
        places[static_cast<std::size_t>(frame.order[static_cast<std::size_t>(place)])] = place;
    const auto last_place = [&](const std::vector<int>& needed) {
        int last = size;
        for (const int variable : needed)
            if (!is_parent_[static_cast<std::size_t>(variable)])
                last = std::min(last, places[static_cast<std::size_t>(variable)]);
        return last;
    };
    const auto is_met = [&](const std::vector<int>& set) {
        return std::any_of(set.begin(), set.end(), [&](int i) { return is_parent_[static_cast<std::size_t>(i)] != 0; });
    };
    frame.gains.assign(static_cast<std::size_t>(size) + 1, 0);
    for (const Term& term : terms_) {
        int last = last_place(term.all);
        if (term.at >= 0 && is_parent_[static_cast<std::size_t>(term.at)]) continue;
        if (is_met(term.among)) {
            if (!term.needs_meeting) continue;
        } else if (term.needs_meeting) {
            int latest = -1;
            for (const int variable : term.among) latest = std::max(latest, places[static_cast<std::size_t>(variable)]);
            last = std::min(last, latest);
        }
        if (last >= 0) frame.gains[static_cast<std::size_t>(last)] += term.gain;
    }
    double certain = 0;
    for (const Loss& loss : losses_)
        if (last_place(loss.all) == size && is_met(loss.among)) certain -= loss.loss;
    double sum = certain;
    for (auto gain = frame.gains.rbegin(); gain != frame.gains.rend(); ++gain) *gain = sum += *gain;
}

// With at least so many parents more than now, all from a place of the pool on.
double FamilyCheck::prior_at_most(const Frame& frame, int fewest, int place) const {
    const int parents = static_cast<int>(parents_.size());
    const int left = static_cast<int>(frame.order.size()) - place;
    const int most = std::min(question_.most_parents, parents + std::max(left, fewest));
    return question_.edge_prior * (question_.edge_prior > 0 ? most : parents + fewest);
}

// No set with the present parents, and one or more of the pool from a place on, is worth more; or none is worth more
// than is asked about.
double FamilyCheck::at_most(const Frame& frame, int place) {
    const int size = static_cast<int>(frame.order.size());
    if (place >= size) return -kInfinity;
    int fewest = std::numeric_limits<int>::max();
    for (int k = place; k < size; ++k)
        fewest = std::min(fewest, table_.states[static_cast<std::size_t>(frame.order[static_cast<std::size_t>(k)])]);
    const double joint_states = frame.joint_states * fewest;
    const double gains =
        prior_at_most(frame, 1, place) + frame.gains[static_cast<std::size_t>(place)] - penalty(joint_states);
    return gains - costs_at_least(frame, place, products_of(joint_states), gains + error_ - most_);
}

// Ends when it is enough.
double FamilyCheck::costs_at_least(const Frame& frame, int place, Products& products, double enough) {
    const bool is_bdeu = question_.score == Score::bdeu;
    const auto states = static_cast<std::size_t>(states_);
    long double total_cost = is_bdeu ? log_states_ * frame.single_rows : 0;
    std::vector<std::int64_t>&whole = whole_, &part = part_;
    std::size_t begin = 0;
    // At least this much at any smaller parameter too.
    const auto at_least = [&](const std::vector<std::int64_t>& counts, std::int64_t total, double occurring,
                              double entropy) {
        double harmonic = 1 + std::log(static_cast<double>(std::max<std::int64_t>(total - 1, 1)));
        if (products.parameter * harmonic <= occurring - 1) return cell_costs(counts, total, products);
        return std::max(entropy, occurring * log_states_);
    };
    const auto occurring_in = [](const std::vector<std::int64_t>& counts) {
        return static_cast<double>(counts.size() -
                                   static_cast<std::size_t>(std::count(counts.begin(), counts.end(), 0)));
    };
    for (const Cell& cell : frame.cells) {
        if (total_cost >= enough) break;
        if (cell.is_pure) {
            if (is_bdeu) total_cost += log_states_;
            begin = cell.end;
            continue;
        }
        // The cell falls into parts in which rows agree on all of the pool from the place on.
        whole.assign(states, 0);
        double entropy = 0, most_extra = 0, most_regret = 0, least_regret = kInfinity;
        int parts = 0;
        for (std::size_t k = begin; k < cell.end; ++parts) {
            const std::size_t first = k++;
            while (k < cell.end && frame.rows[k].differs < place) ++k;
            double cost = log_states_, own_entropy = 0;
            if (k - first == 1) {
                whole[frame.rows[first].state] += frame.rows[first].weight;
            } else {
                part.assign(states, 0);
                std::int64_t part_total = 0;
                for (std::size_t row = first; row < k; ++row) {
                    part[frame.rows[row].state] += frame.rows[row].weight;
                    part_total += frame.rows[row].weight;
                }
                for (std::size_t state = 0; state < states; ++state) whole[state] += part[state];
                const double occurring = occurring_in(part);
                if (occurring > 1) {
                    own_entropy = entropy_of(part, part_total);
                    entropy += own_entropy;
                    if (is_bdeu) cost = at_least(part, part_total, occurring, own_entropy);
                    most_extra = std::max(most_extra, cost - occurring * log_states_);
                }
            }
            most_regret = std::max(most_regret, cost - own_entropy);
            least_regret = std::min(least_regret, cost - own_entropy);
        }
        begin = cell.end;
        if (!is_bdeu) {
            total_cost += entropy;
            continue;
        }
        const double occurring = occurring_in(whole);
        const std::int64_t whole_total = std::accumulate(whole.begin(), whole.end(), std::int64_t{0});
        const double together = at_least(whole, whole_total, occurring, entropy_of(whole, whole_total));
        const double apart = parts > 1 ? entropy + most_regret + least_regret : kInfinity;
        total_cost += std::max(occurring * log_states_ + most_extra, std::min(together, apart));
    }
    return static_cast<double>(total_cost);
}

}  // namespace chordlearn::checker
