#include "families/parent_search.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <stdexcept>

namespace chordlearn {

namespace {

constexpr int kSortedDepth = 3;    // so many parents deep the pool is sorted anew
constexpr int kGivenDepth = 3;     // branches that are given away have no more parents
constexpr double kShattering = 5;  // worth of a pair of cell and state when variables are sorted
constexpr std::int16_t kAlways = std::numeric_limits<std::int16_t>::max();
constexpr double kInfinity = std::numeric_limits<double>::infinity();

}  // namespace

ParentSearch::ParentSearch(const ParentSpace& space, int child, std::atomic<double>& best, FamilyCosts& costs,
                           const Control& control)
    : space_(space),
      child_(child),
      best_(best),
      control_(control),
      costs_(costs),
      gains_(space.table.variables(), child, space.prices, space.scale),
      orders_(kSortedDepth + 1) {
    const std::uint32_t states = space.table.arities[static_cast<std::size_t>(child)];
    whole_counts_.assign(states, 0);
    run_counts_.assign(states, 0);
}

std::vector<ParentSearch::Root> ParentSearch::branches() {
    const bool is_first = best() == -kInfinity;
    make_root();
    Node& root = node_at(0);
    take(root.score + gains_.value());
    std::vector<Root> roots;
    if (space_.most_parents <= 0) return roots;
    if (is_first) climb();
    sort_pool(root, orders_[0]);
    price(root);
    const int count = first_hopeless(root);
    for (int place = 0; place < count; ++place)
        roots.push_back({root.order->variables[static_cast<std::size_t>(place)], at_most(root, place, -kInfinity)});
    return roots;
}

void ParentSearch::run(const std::vector<int>& parents, BranchSharing* sharing) {
    sharing_ = sharing;
    shared_depth_ = static_cast<int>(parents.size());
    const auto place_in = [&](const Node& node, int depth) {
        return node.order->places[static_cast<std::size_t>(parents[static_cast<std::size_t>(depth)])];
    };
    for (int depth = 0; depth + 1 < shared_depth_; ++depth) {
        Node& node = node_at(depth);
        Node& next = node_at(depth + 1);
        enter(node, place_in(node, depth), next);
        price(next);
        if (depth + 1 < kSortedDepth) {
            sort_pool(next, orders_[static_cast<std::size_t>(depth + 1)]);
            price(next);
        }
    }
    Node& node = node_at(shared_depth_ - 1);
    visit(node, place_in(node, shared_depth_ - 1), shared_depth_ - 1);
    while (!held_.empty()) leave(held_.back());
}

void ParentSearch::make_root() {
    const CodedTable& table = space_.table;
    Order& order = orders_[kSortedDepth];
    order.variables.clear();
    for (int i = 0; i < table.variables(); ++i)
        if (i != child_ && !space_.is_forbidden(i, child_)) order.variables.push_back(i);
    number(order);
    Node& root = node_at(0);
    const auto& states = table.columns[static_cast<std::size_t>(child_)];
    root.rows.resize(table.distinct());
    for (std::size_t r = 0; r < table.distinct(); ++r)
        root.rows[r] = {static_cast<std::uint32_t>(r), static_cast<std::uint32_t>(table.weights[r]), states[r],
                        kAlways};
    root.order = &order;
    const FamilyTerms& terms = costs_.at(1);
    root.rows.resize(root.rows.empty() ? 0 : close_cell(root, 0, root.rows.size(), terms));
    root.constant = terms.constant();
    root.score = root.constant - root.cost;
}

// Parents that are worth much, so that there is something to exclude others by.
void ParentSearch::climb() {
    Node* node = &node_at(0);
    double worth = node->score + gains_.value();
    int depth = 0;
    const std::size_t held = held_.size();
    while (node->parents < space_.most_parents) {
        int best_place = -1;
        for (int place = 0; place < static_cast<int>(node->order->variables.size()); ++place) {
            control_.check();
            const int variable = node->order->variables[static_cast<std::size_t>(place)];
            if (!fits(*node, variable)) continue;
            gains_.push(variable);
            const double own = counted_with(*node, place, kInfinity).score + gains_.value();
            gains_.pop(variable);
            if (own > worth) worth = own, best_place = place;
        }
        if (best_place < 0) break;
        const int variable = node->order->variables[static_cast<std::size_t>(best_place)];
        Node& next = node_at(depth + 1);
        split(*node, best_place, next, true);
        next.first = 0;
        next.order = node->order;
        gains_.push(variable);
        held_.push_back(variable);
        take(worth);
        node = &next;
        ++depth;
    }
    while (held_.size() > held) {
        gains_.pop(held_.back());
        held_.pop_back();
    }
}

double ParentSearch::joint_states_with(const Node& node, int place) const {
    return node.joint_states *
           space_.table.arities[static_cast<std::size_t>(node.order->variables[static_cast<std::size_t>(place)])];
}

bool ParentSearch::fits(const Node& node, int variable) const {
    if (gains_.holds(variable)) return false;
    if (!space_.forbidden.empty())
        for (const int other : held_)
            if (space_.is_forbidden(variable, other)) return false;
    if (node.joint_states * space_.table.arities[static_cast<std::size_t>(variable)] > FamilyCosts::kMostCells)
        throw std::length_error("parents have too many joint states");
    return true;
}

void ParentSearch::take(double worth) {
    double best = best_.load(std::memory_order_relaxed);
    while (worth > best && !best_.compare_exchange_weak(best, worth, std::memory_order_relaxed)) {
    }
}

ParentSearch::Node& ParentSearch::node_at(int depth) {
    while (nodes_by_depth_.size() <= static_cast<std::size_t>(depth))
        nodes_by_depth_.push_back(std::make_unique<Node>());
    return *nodes_by_depth_[static_cast<std::size_t>(depth)];
}

void ParentSearch::number(Order& order) const {
    order.places.assign(static_cast<std::size_t>(space_.table.variables()), -1);
    order.least_states.assign(order.variables.size(), 0);
    std::uint32_t least = std::numeric_limits<std::uint32_t>::max();
    for (std::size_t place = order.variables.size(); place-- > 0;) {
        const auto variable = static_cast<std::size_t>(order.variables[place]);
        order.places[variable] = static_cast<int>(place);
        least = std::min(least, space_.table.arities[variable]);
        order.least_states[place] = least;
    }
}

// Adds the variable at a place. Rows that agree on the pool after it become one if they also agree on the child.
// In no particular order (unordered), none do.
void ParentSearch::split(const Node& from, int place, Node& to, bool unordered) {
    const auto variable = static_cast<std::size_t>(from.order->variables[static_cast<std::size_t>(place)]);
    const std::uint16_t* column = space_.table.columns[variable].data();
    const std::uint32_t arity = space_.table.arities[variable];
    to.joint_states = from.joint_states * arity;
    to.parents = from.parents + 1;
    const FamilyTerms& terms = costs_.at(to.joint_states);
    to.single_rows = to.occurring = from.single_rows;
    to.cells.clear();
    to.rows.resize(from.rows.size());
    to.cost = from.single_rows * costs_.single();
    const std::int16_t limit = unordered ? -2 : static_cast<std::int16_t>(place);
    if (is_seen_.size() < arity) is_seen_.resize(arity, 0);
    std::size_t begin = 0, out = 0;
    for (const Cell& cell : from.cells) {
        const std::size_t size = cell.end - begin;
        const Row* rows = &from.rows[begin];
        if (codes_.size() < size) codes_.resize(size);
        seen_.clear();
        for (std::size_t k = 0; k < size; ++k) {
            const std::uint16_t code = codes_[k] = column[rows[k].source];
            if (!is_seen_[code]) {
                is_seen_[code] = 1;
                seen_.push_back(code);
            }
        }
        for (const std::uint16_t code : seen_) {
            is_seen_[code] = 0;
            const std::size_t cell_begin = out;
            std::size_t run_begin = out;
            std::int16_t differs = -1;
            for (std::size_t k = 0; k < size; ++k) {
                differs = std::max(differs, rows[k].differs);
                if (codes_[k] != code) continue;
                Row row = rows[k];
                if (out == cell_begin) {
                    row.differs = kAlways;
                } else if (differs > limit) {
                    row.differs = differs;
                    run_begin = out;
                } else {
                    row.differs = -1;
                    std::size_t same = run_begin;
                    while (same < out && to.rows[same].state != row.state) ++same;
                    if (same < out) {
                        to.rows[same].count += row.count;
                        differs = -1;
                        continue;
                    }
                }
                to.rows[out++] = row;
                differs = -1;
            }
            out = close_cell(to, cell_begin, out, terms);
        }
        begin = cell.end;
    }
    to.rows.resize(out);
    to.constant = terms.constant();
    to.score = to.constant - to.cost + costs_.edges(to.parents);
}

// What `split` comes to, without the rows. Ends when the family costs `enough`.
ParentSearch::Counted ParentSearch::counted_with(const Node& node, int place, double enough) {
    const auto variable = static_cast<std::size_t>(node.order->variables[static_cast<std::size_t>(place)]);
    const std::uint16_t* column = space_.table.columns[variable].data();
    const std::uint32_t arity = space_.table.arities[variable];
    const auto states = static_cast<std::uint32_t>(whole_counts_.size());
    const FamilyTerms& terms = costs_.at(node.joint_states * arity);
    if (totals_.size() < arity) {
        totals_.resize(arity, 0);
        counts_.resize(std::size_t{arity} * states, 0);
    }
    double cost = node.single_rows * costs_.single();
    std::uint32_t occurring = node.single_rows;
    std::size_t begin = 0;
    for (const Cell& cell : node.cells) {
        if (cost >= enough) break;
        for (std::size_t k = begin; k < cell.end; ++k) {
            const Row& row = node.rows[k];
            const std::uint32_t code = column[row.source];
            totals_[code] += row.count;
            counts_[code * states + row.state] += row.count;
        }
        for (; begin < cell.end; ++begin) {
            const Row& row = node.rows[begin];
            const std::uint32_t code = column[row.source];
            if (std::uint32_t& count = counts_[code * states + row.state]) {
                cost -= terms.part(count);
                ++occurring;
                count = 0;
            }
            if (std::uint32_t& total = totals_[code]) {
                cost += terms.whole(total);
                total = 0;
            }
        }
    }
    return {terms.constant() - cost + costs_.edges(node.parents + 1), occurring};
}

// Counts a cell whose rows stand at the end; returns where the rows end, which a cell of which no more is to be known
// does not keep.
std::size_t ParentSearch::close_cell(Node& node, std::size_t begin, std::size_t end, const FamilyTerms& terms) {
    if (end - begin == 1) {
        const std::uint32_t count = node.rows[begin].count;
        ++node.occurring;
        if (costs_.is_penalised()) return begin;
        if (count == 1) {
            ++node.single_rows;
            node.cost += costs_.single();
            return begin;
        }
        node.cost += terms.whole(count) - terms.part(count);
        node.cells.push_back({static_cast<std::uint32_t>(end), true});
        return end;
    }
    states_.clear();
    std::uint32_t total = 0;
    for (std::size_t k = begin; k < end; ++k) {
        const Row& row = node.rows[k];
        std::uint32_t& count = whole_counts_[row.state];
        if (count == 0) states_.push_back(row.state);
        count += row.count;
        total += row.count;
    }
    double cost = terms.whole(total);
    for (const std::uint16_t state : states_) {
        cost -= terms.part(whole_counts_[state]);
        whole_counts_[state] = 0;
    }
    const bool is_pure = states_.size() == 1;
    node.occurring += static_cast<std::uint32_t>(states_.size());
    if (is_pure && costs_.is_penalised()) return begin;
    node.cost += cost;
    node.cells.push_back({static_cast<std::uint32_t>(end), is_pure});
    return end;
}

// Sorts the pool so that the variables that shatter the rows most come first: what is left at its end leaves cells
// mixed, and cannot be worth much.
void ParentSearch::sort_pool(Node& node, Order& order) {
    const Order& before = *node.order;
    std::vector<std::pair<double, int>> keyed;
    for (std::size_t place = static_cast<std::size_t>(node.first); place < before.variables.size(); ++place) {
        control_.check();
        const int variable = before.variables[place];
        if (!fits(node, variable)) continue;
        const Counted counted = counted_with(node, static_cast<int>(place), kInfinity);
        gains_.push(variable);
        take(counted.score + gains_.value());
        gains_.pop(variable);
        keyed.emplace_back(kShattering * counted.occurring + counted.score, variable);
    }
    std::sort(keyed.begin(), keyed.end(), [](const auto& a, const auto& b) {
        return a.first > b.first || (a.first == b.first && a.second < b.second);
    });
    order.variables.clear();
    for (const auto& [key, variable] : keyed) order.variables.push_back(variable);
    number(order);
    node.order = &order;
    node.first = 0;
    sort_rows(node);
}

void ParentSearch::sort_rows(Node& node) {
    std::size_t begin = 0, out = 0;
    const int last = static_cast<int>(node.order->variables.size()) - 1;
    for (Cell& cell : node.cells) {
        node.rows[begin].differs = kAlways;
        for (std::size_t k = begin + 1; k < cell.end; ++k) node.rows[k].differs = -1;
        sort_run(node, begin, cell.end, last);
        std::size_t run_begin = out;
        for (std::size_t k = begin; k < cell.end; ++k) {
            const Row row = node.rows[k];
            std::size_t same = out;
            if (row.differs >= 0) {
                run_begin = out;
            } else {
                same = run_begin;
                while (same < out && node.rows[same].state != row.state) ++same;
            }
            if (same < out) {
                node.rows[same].count += row.count;
            } else {
                node.rows[out++] = row;
            }
        }
        begin = cell.end;
        cell.end = static_cast<std::uint32_t>(out);
    }
    node.rows.resize(out);
}

// Sorts rows by the pool from its end on, and notes where they differ.
void ParentSearch::sort_run(Node& node, std::size_t begin, std::size_t end, int place) {
    control_.check();
    std::vector<Row>& rows = node.rows;
    std::vector<std::size_t> ends;
    for (; place >= 0 && end - begin > 1; --place) {
        const auto variable = static_cast<std::size_t>(node.order->variables[static_cast<std::size_t>(place)]);
        const std::uint16_t* column = space_.table.columns[variable].data();
        const std::uint16_t first = column[rows[begin].source];
        std::size_t same = begin + 1;
        while (same < end && column[rows[same].source] == first) ++same;
        if (same == end) continue;
        ends.assign(space_.table.arities[variable] + 1, 0);
        for (std::size_t k = begin; k < end; ++k) ++ends[column[rows[k].source] + std::size_t{1}];
        for (std::size_t code = 1; code < ends.size(); ++code) ends[code] += ends[code - 1];
        const std::int16_t before = rows[begin].differs;
        rows[begin].differs = -1;
        sorted_.assign(rows.begin() + static_cast<std::ptrdiff_t>(begin),
                       rows.begin() + static_cast<std::ptrdiff_t>(end));
        for (const Row& row : sorted_) rows[begin + ends[column[row.source]]++] = row;
        // Now each end is that of its code.
        std::size_t from = begin;
        for (std::size_t code = 0; code + 1 < ends.size(); ++code) {
            const std::size_t until = begin + ends[code];
            if (until > from) {
                rows[from].differs = from == begin ? before : static_cast<std::int16_t>(place);
                sort_run(node, from, until, place - 1);
            }
            from = until;
        }
        return;
    }
}

void ParentSearch::price(Node& node) {
    gains_.at_most(node.order->places, node.first, static_cast<int>(node.order->variables.size()), node.gains);
}

// What the prior of edges adds at most where at least so many come from the pool from a place on.
double ParentSearch::edges_at_most(const Node& node, int place, int fewest) const {
    const int left = static_cast<int>(node.order->variables.size()) - place;
    const int more = std::min(space_.most_parents - node.parents, left);
    return costs_.edges(node.parents + fewest) + std::max(0.0, costs_.edges(more - fewest));
}

// No family with the variable at a place, and at least one that comes after it, scores more; occurring: pairs of a cell
// and a state with that variable.
double ParentSearch::with_more_at_most(const Node& node, int place, std::uint32_t occurring) const {
    const auto next = static_cast<std::size_t>(place) + 1;
    if (next >= node.order->variables.size() || node.parents + 2 > space_.most_parents) return -kInfinity;
    const double edges = edges_at_most(node, place, 2);
    // The first row with a state in a cell has at most the probability 1/r, and more parents only make more such rows.
    if (costs_.kind() == ScoreKind::bdeu) return edges - costs_.log_states() * occurring;
    return edges + costs_.constant(joint_states_with(node, place) * node.order->least_states[next]);
}

// The worth of no set with these parents, and at least one more from the pool from a place on, is more. What is not
// more than `enough` need not be exact.
double ParentSearch::at_most(const Node& node, int place, double enough) {
    const FamilyTerms& terms = costs_.at(node.joint_states * node.order->least_states[static_cast<std::size_t>(place)]);
    const double rest =
        terms.constant() + edges_at_most(node, place, 1) + node.gains.from[static_cast<std::size_t>(place)];
    return rest - cells_at_least(node, place, terms, rest - enough);
}

// The cells cost no less, whatever is added from the pool from a place on, if it is something; terms: those of the
// fewest joint states that this may give. A cell is split into runs by all of the pool from there on. Ends when it
// is `enough`.
double ParentSearch::cells_at_least(const Node& node, int place, const FamilyTerms& terms, double enough) {
    const ScoreKind kind = costs_.kind();
    const bool is_bdeu = kind == ScoreKind::bdeu;
    const double log_states = costs_.log_states();
    double total = is_bdeu ? log_states * node.occurring : 0;
    std::size_t begin = 0;
    for (const Cell& cell : node.cells) {
        if (total >= enough) return total;
        const std::size_t first = begin;
        begin = cell.end;
        if (cell.is_pure) continue;
        states_.clear();
        double entropy = 0, dearest = 0, most_regret = 0;
        double least_regret = kInfinity;
        bool is_one_run = true;
        std::uint32_t whole = 0;
        for (std::size_t k = first; k < cell.end;) {
            const Row& row = node.rows[k];
            std::uint32_t count = row.count;
            std::uint16_t states = 1;
            std::size_t end = k + 1;
            while (end < cell.end && node.rows[end].differs < place) ++end;
            if (end - k > 1) {
                run_states_.clear();
                count = 0;
                for (; k < end; ++k) {
                    const Row& other = node.rows[k];
                    if (run_counts_[other.state] == 0) run_states_.push_back(other.state);
                    run_counts_[other.state] += other.count;
                    count += other.count;
                }
                states = static_cast<std::uint16_t>(run_states_.size());
                double own_entropy = costs_.count_log_count(count), own = terms.whole(count);
                for (const std::uint16_t state : run_states_) {
                    const std::uint32_t own_count = run_counts_[state];
                    run_counts_[state] = 0;
                    if (whole_counts_[state] == 0) states_.push_back(state);
                    whole_counts_[state] += own_count;
                    own_entropy -= costs_.count_log_count(own_count);
                    own -= terms.part(own_count);
                }
                if (states > 1) {
                    if (is_bdeu && !rises_with_cells(terms, count, states))
                        own = std::max(own_entropy, states * log_states);
                    entropy += own_entropy;
                    dearest = std::max(dearest, own - (is_bdeu ? states * log_states : 0));
                    most_regret = std::max(most_regret, own - own_entropy);
                    least_regret = std::min(least_regret, own - own_entropy);
                }
            } else {
                if (whole_counts_[row.state] == 0) states_.push_back(row.state);
                whole_counts_[row.state] += count;
                ++k;
            }
            if (states == 1) {
                most_regret = std::max(most_regret, log_states);
                least_regret = std::min(least_regret, log_states);
            }
            whole += count;
            is_one_run = is_one_run && end == cell.end;
        }
        const auto states = static_cast<std::uint32_t>(states_.size());
        if (is_bdeu) {
            const double split = is_one_run ? kInfinity : entropy + most_regret + least_regret;
            const double floor = states * log_states;
            if (split > floor + dearest) {
                double own = terms.whole(whole), own_entropy = costs_.count_log_count(whole);
                for (const std::uint16_t state : states_) {
                    own -= terms.part(whole_counts_[state]);
                    own_entropy -= costs_.count_log_count(whole_counts_[state]);
                }
                if (!rises_with_cells(terms, whole, states)) own = std::max(own_entropy, floor);
                dearest = std::max(dearest, std::min(own, split) - floor);
            }
            total += dearest;
        } else {
            total += kind == ScoreKind::dirichlet ? dearest : entropy;
        }
        for (const std::uint16_t state : states_) whole_counts_[state] = 0;
    }
    return total;
}

// Whether what a cell costs only rises as the parents get more joint states.
bool ParentSearch::rises_with_cells(const FamilyTerms& terms, std::uint32_t rows, std::uint32_t states) const {
    return terms.weight() * costs_.harmonic(rows - 1) <= states - 1.0;
}

void ParentSearch::expand(Node& node, int depth) {
    control_.check();
    ++nodes_;
    if (node.parents >= space_.most_parents) return;
    price(node);
    if (at_most(node, node.first, best()) <= best()) return;
    if (depth < kSortedDepth) {
        sort_pool(node, orders_[static_cast<std::size_t>(depth)]);
        if (node.order->variables.empty()) return;
        price(node);
    }
    const int end = first_hopeless(node);
    for (int place = node.first; place < end; ++place) {
        if (sharing_ && depth == shared_depth_) sharing_->lower(at_most(node, place, best()));
        visit(node, place, depth);
    }
}

// Adds the variable at a place to the parents.
void ParentSearch::enter(Node& node, int place, Node& next) {
    const int variable = node.order->variables[static_cast<std::size_t>(place)];
    split(node, place, next, false);
    next.first = place + 1;
    next.order = node.order;
    gains_.push(variable);
    held_.push_back(variable);
}

void ParentSearch::leave(int variable) {
    held_.pop_back();
    gains_.pop(variable);
}

void ParentSearch::visit(Node& node, int place, int depth) {
    const int variable = node.order->variables[static_cast<std::size_t>(place)];
    if (!fits(node, variable)) return;
    const double gains = node.gains.with[static_cast<std::size_t>(place)];
    // Where joint states are charged for, most families are the last of their branch: those are only counted.
    if (costs_.is_penalised()) {
        const double hope = costs_.constant(joint_states_with(node, place)) + edges_at_most(node, place, 1) + gains;
        if (hope <= best()) return;
        gains_.push(variable);
        take(counted_with(node, place, hope - best()).score + gains_.value());
        gains_.pop(variable);
        if (with_more_at_most(node, place, 0) + gains <= best()) return;
    }
    Node& next = node_at(depth + 1);
    enter(node, place, next);
    take(next.score + gains_.value());
    const double most = with_more_at_most(node, place, next.occurring) + gains;
    if (most > best()) {
        if (sharing_ && depth >= shared_depth_ && depth < kGivenDepth && sharing_->is_wanted())
            sharing_->give(held_, most);
        else
            expand(next, depth + 1);
    }
    leave(variable);
}

// The first place found from which on nothing is worth more than the best.
int ParentSearch::first_hopeless(const Node& node) {
    int low = node.first, high = static_cast<int>(node.order->variables.size());
    while (low < high) {
        const int middle = low + (high - low) / 2;
        if (at_most(node, middle, best()) <= best()) {
            high = middle;
        } else {
            low = middle + 1;
        }
    }
    return high;
}

}  // namespace chordlearn
