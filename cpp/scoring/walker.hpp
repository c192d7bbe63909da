#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

#include "common/control.hpp"
#include "scoring/cell_terms.hpp"
#include "scoring/coded_table.hpp"
#include "scoring/rows.hpp"
#include "scoring/score_function.hpp"
#include "scoring/singleton_groups.hpp"
#include "scoring/sum.hpp"

namespace chordlearn {

// The walk decides the variables one after the other: include the next one, or marginalise it, which merges the rows
// that differ in it alone. A node of the walk holds the distinct rows over the included and the undecided variables.
//
// They are sorted by the included variables, then by the undecided ones, the next to be decided counting least. So the
// rows of a group, which agree on the included variables, are neighbours, and so are the rows that marginalising the
// next variable merges. For each row, `differs` is the last position in the order of decisions at which it differs from
// the row before, or kNewGroup.
//
// A group of one row stays alone whatever is included later. It leaves the rows for the SingletonGroups, whose part of
// a score is the same for all sets below the node that have the same number of cells.

// Counts by joint state are kept only where they stay in the cache.
constexpr double kMostDenseCells = 1 << 18;

// What all threads share.
struct Plan {
    const CodedTable& table;
    const ScoreFunction& function;
    const CellTermsTable& terms;
    std::vector<int> order;  // variables in the order of decisions
    int max_size;
    int split;  // threads share the work by the decisions on so many variables
    Control& control;
    double* values;
};

// A set on the walk, with what its score is looked up and weighed by.
struct ScoredSet {
    std::uint32_t mask = 0;
    int size = 0;
    std::size_t cell_class = 0;
    double cells = 1.0;
};

inline ScoredSet with_variable(const Plan& plan, const ScoredSet& set, int variable) {
    return {set.mask | std::uint32_t{1} << variable, set.size + 1, set.cell_class + plan.terms.step(variable),
            set.cells * plan.table.arities[static_cast<std::size_t>(variable)]};
}

template <class Count>
class Walker {
public:
    explicit Walker(const Plan& plan)
        : plan_(plan), n_(plan.table.variables()), at_depth_(static_cast<std::size_t>(n_) + 1) {
        std::uint32_t most_states = 1;
        for (const std::uint32_t arity : plan.table.arities) most_states = std::max(most_states, arity);
        by_state_.resize(most_states);
        cells_at_depth_.resize(static_cast<std::size_t>(n_) + 1);
        undecided_cells_.assign(static_cast<std::size_t>(n_) + 1, 1.0);
        for (int i = n_ - 1; i >= 0; --i) {
            const auto variable = static_cast<std::size_t>(plan.order[static_cast<std::size_t>(i)]);
            undecided_cells_[static_cast<std::size_t>(i)] =
                undecided_cells_[static_cast<std::size_t>(i) + 1] * plan.table.arities[variable];
        }
        pending_.resize(most_states + std::size_t{16});
        position_.resize(most_states);
        if (plan.terms.tabulated()) memo_.resize(plan.terms.classes());
    }

    // Decides the first `split` variables as the bits of `prefix` say, and everything below.
    void run(const Rows<Count>& root, int split, std::uint32_t prefix) {
        singletons_ = {};
        ScoredSet set;
        if (root.size == 1) {
            singletons_.add(root.count[0]);
            if (prefix == 0) all_alone(0, set);
            return;
        }
        const Rows<Count>* rows = &root;
        for (int i = 0; i < split; ++i) {
            if (set.size + 1 >= plan_.max_size) {
                // The walk below this node does not branch: one prefix does all of it.
                if (prefix >> i == 0) walk(*rows, i, set);
                return;
            }
            const bool included = prefix >> i & 1;
            rows = included ? &include(*rows, i) : &marginalise(*rows, i);
            if (included) set = with_variable(plan_, set, plan_.order[static_cast<std::size_t>(i)]);
        }
        walk(*rows, split, set);
    }

    void finish() {
        plan_.control.done.fetch_add(unreported_, std::memory_order_relaxed);
        unreported_ = 0;
    }

private:
    // All sets that add some of the variables from position `i` on to `set`.
    void walk(const Rows<Count>& rows, int i, const ScoredSet& set) {
        // Each step goes through all rows, and long before the first set is scored.
        stopped_ = stopped_ || plan_.control.stop.load(std::memory_order_relaxed);
        if (stopped_) return;
        if (rows.size == 0) {
            all_alone(i, set);
        } else if (set.size + 1 >= plan_.max_size) {
            add_at_most_one(rows, i, set);
        } else if (i + 1 == n_) {
            last_variable(rows, set);
        } else if (i + 2 == n_) {
            last_two_variables(rows, set);
        } else if (i >= plan_.split && dense_pays(rows, i, set)) {
            walk_cells(fill_cells(rows, i, set), i, set);
        } else {
            const auto mark = singletons_.mark();
            walk(marginalise(rows, i), i + 1, set);
            singletons_.restore(mark);
            walk(include(rows, i), i + 1, with_variable(plan_, set, plan_.order[static_cast<std::size_t>(i)]));
            singletons_.restore(mark);
        }
    }

    // Where the undecided and included variables have few joint states, a count for each of them is quicker than rows.
    // The counts are ordered by the undecided variables, the next one outermost, then by the included ones: so
    // marginalising adds whole slices, and including moves the outermost variable to the innermost place.

    bool dense_pays(const Rows<Count>& rows, int i, const ScoredSet& set) const {
        return set.cells * undecided_cells_[static_cast<std::size_t>(i)] <=
               std::min(10.0 * static_cast<double>(rows.size), kMostDenseCells);
    }

    const std::vector<Count>& fill_cells(const Rows<Count>& rows, int i, const ScoredSet& set) {
        std::vector<Count>& cells = cells_at_depth_[static_cast<std::size_t>(i)];
        cells.assign(static_cast<std::size_t>(set.cells * undecided_cells_[static_cast<std::size_t>(i)]), 0);
        place_.assign(rows.size, 0);
        const auto add_digit = [&](int variable) {
            const auto& column = plan_.table.columns[static_cast<std::size_t>(variable)];
            const std::uint32_t states = plan_.table.arities[static_cast<std::size_t>(variable)];
            for (std::size_t r = 0; r < rows.size; ++r) place_[r] = place_[r] * states + column[rows.source[r]];
        };
        for (int j = i; j < n_; ++j) add_digit(plan_.order[static_cast<std::size_t>(j)]);
        for (int j = 0; j < i; ++j) {
            const int variable = plan_.order[static_cast<std::size_t>(j)];
            if (set.mask >> variable & 1) add_digit(variable);
        }
        for (std::size_t r = 0; r < rows.size; ++r) cells[place_[r]] += rows.count[r];
        return cells;
    }

    void walk_cells(const std::vector<Count>& cells, int i, const ScoredSet& set) {
        if (stopped_) return;
        if (i == n_) {
            emit(set, cells.data(), cells.size());
            return;
        }
        const int variable = plan_.order[static_cast<std::size_t>(i)];
        const std::size_t states = plan_.table.arities[static_cast<std::size_t>(variable)];
        std::vector<Count>& out = cells_at_depth_[static_cast<std::size_t>(i) + 1];
        const std::size_t slice = cells.size() / states;
        out.resize(slice);
        std::copy_n(cells.data(), slice, out.data());
        for (std::size_t x = 1; x < states; ++x) {
            const Count* __restrict in = cells.data() + x * slice;
            Count* __restrict sum = out.data();
            for (std::size_t c = 0; c < slice; ++c) sum[c] += in[c];
        }
        walk_cells(out, i + 1, set);
        if (set.size == plan_.max_size) return;
        const ScoredSet with = with_variable(plan_, set, variable);
        if (i + 1 == n_) {
            emit(with, cells.data(), cells.size());
            return;
        }
        out.resize(cells.size());
        if (states == 2) {
            const Count* __restrict zero = cells.data();
            const Count* __restrict one = zero + slice;
            Count* __restrict both = out.data();
            for (std::size_t c = 0; c < slice; ++c) {
                both[2 * c] = zero[c];
                both[2 * c + 1] = one[c];
            }
        } else {
            for (std::size_t x = 0; x < states; ++x) {
                const Count* __restrict in = cells.data() + x * slice;
                Count* __restrict to = out.data() + x;
                for (std::size_t c = 0; c < slice; ++c) to[c * states] = in[c];
            }
        }
        walk_cells(out, i + 1, with);
    }

    const Rows<Count>& marginalise(const Rows<Count>& rows, int i) {
        Rows<Count>& out = at_depth_[static_cast<std::size_t>(i) + 1];
        out.reserve(rows.size);
        const Count* __restrict count = rows.count.data();
        const std::uint32_t* __restrict source = rows.source.data();
        const std::uint8_t* __restrict differs = rows.differs.data();
        Count* __restrict out_count = out.count.data();
        std::uint32_t* __restrict out_source = out.source.data();
        std::uint8_t* __restrict out_differs = out.differs.data();
        const std::size_t size = rows.size;
        // The last write to a place counts.
        std::size_t place = static_cast<std::size_t>(-1);
        Count merged = 0;
        std::uint32_t first = kNewGroup;
        for (std::size_t r = 0; r < size; ++r) {
            const std::uint32_t merges = differs[r] == i;
            place += 1 - merges;
            merged = count[r] + (merged & (Count{0} - merges));
            first = select(0 - merges, first, differs[r]);
            out_count[place] = merged;
            out_source[place] = source[r];
            out_differs[place] = static_cast<std::uint8_t>(first);
        }
        out.size = place + 1;
        remove_singletons(out);
        return out;
    }

    const Rows<Count>& include(const Rows<Count>& rows, int i) {
        Rows<Count>& out = at_depth_[static_cast<std::size_t>(i) + 1];
        out.reserve(rows.size);
        const auto variable = static_cast<std::size_t>(plan_.order[static_cast<std::size_t>(i)]);
        const std::uint16_t* column = plan_.table.columns[variable].data();
        if (plan_.table.arities[variable] <= 2) {
            sort_by_bit(rows, column, out);
        } else {
            sort_by_state(rows, column, plan_.table.arities[variable], out);
        }
        out.size = rows.size;
        remove_singletons(out);
        return out;
    }

    // Both sorts are stable. What a row differs in from the one before it with the same state is the last of what the
    // rows from that one on differ in.
    void sort_by_bit(const Rows<Count>& rows, const std::uint16_t* column, Rows<Count>& out) {
        const std::size_t size = rows.size;
        const Count* __restrict count = rows.count.data();
        const std::uint32_t* __restrict source = rows.source.data();
        const std::uint8_t* __restrict differs = rows.differs.data();
        Count* __restrict out_count = out.count.data();
        std::uint32_t* __restrict out_source = out.source.data();
        std::uint8_t* __restrict out_differs = out.differs.data();
        std::size_t ones = 0;
        for (std::size_t r = 0; r < size; ++r) ones += column[source[r]];
        std::uint32_t place_of_zero = 0, place_of_one = static_cast<std::uint32_t>(size - ones);
        std::uint32_t of_zero = kNewGroup, of_one = kNewGroup;
        for (std::size_t r = 0; r < size; ++r) {
            const std::uint32_t row = source[r];
            const std::uint32_t one = column[row];
            const std::uint32_t mask = 0 - one;
            of_zero = std::max<std::uint32_t>(of_zero, differs[r]);
            of_one = std::max<std::uint32_t>(of_one, differs[r]);
            const std::uint32_t place = select(mask, place_of_one, place_of_zero);
            out_count[place] = count[r];
            out_source[place] = row;
            out_differs[place] = static_cast<std::uint8_t>(select(mask, of_one, of_zero));
            place_of_one += one;
            place_of_zero += 1 - one;
            of_one &= ~mask;
            of_zero &= mask;
        }
    }

    void sort_by_state(const Rows<Count>& rows, const std::uint16_t* column, std::uint32_t states, Rows<Count>& out) {
        const std::size_t size = rows.size;
        const Count* __restrict count = rows.count.data();
        const std::uint32_t* __restrict source = rows.source.data();
        const std::uint8_t* __restrict differs = rows.differs.data();
        Count* __restrict out_count = out.count.data();
        std::uint32_t* __restrict out_source = out.source.data();
        std::uint8_t* __restrict out_differs = out.differs.data();
        std::uint32_t* __restrict position = position_.data();
        std::uint8_t* __restrict pending = pending_.data();
        std::fill_n(position, states, 0);
        for (std::size_t r = 0; r < size; ++r) ++position[column[source[r]]];
        std::uint32_t start = 0;
        for (std::uint32_t x = 0; x < states; ++x) start += std::exchange(position[x], start);
        // Whole registers of pending states at a time.
        const std::uint32_t width = (states + 15) / 16 * 16;
        std::fill_n(pending, width, kNewGroup);
        for (std::size_t r = 0; r < size; ++r) {
            const std::uint8_t last = differs[r];
            const std::uint16_t x = column[source[r]];
            for (std::uint32_t y = 0; y < width; y += 16) {
                for (std::uint32_t z = 0; z < 16; ++z) pending[y + z] = std::max(pending[y + z], last);
            }
            const std::size_t place = position[x]++;
            out_count[place] = count[r];
            out_source[place] = source[r];
            out_differs[place] = pending[x];
            pending[x] = 0;
        }
    }

    void remove_singletons(Rows<Count>& rows) {
        const std::size_t size = rows.size;
        if (size == 0) return;
        if (alone_.size() < size) alone_.resize(size);
        Count* __restrict count = rows.count.data();
        Count* __restrict alone = alone_.data();
        std::uint32_t* __restrict source = rows.source.data();
        std::uint8_t* __restrict differs = rows.differs.data();
        std::size_t kept = 0, lone = 0;
        bool first = true;
        for (std::size_t r = 0; r < size; ++r) {
            const bool last = r + 1 == size || differs[r + 1] == kNewGroup;
            const bool is_alone = first && last;
            const std::uint8_t differs_here = differs[r];
            const Count c = count[r];
            alone[lone] = c;
            count[kept] = c;
            source[kept] = source[r];
            differs[kept] = differs_here;
            lone += is_alone;
            kept += !is_alone;
            first = last;
        }
        rows.size = kept;
        for (std::size_t a = 0; a < lone; ++a) singletons_.add(alone[a]);
    }

    // Both sets at once that the last variable decides between.
    void last_variable(const Rows<Count>& rows, const ScoredSet& set) {
        const ScoredSet both = with_variable(plan_, set, plan_.order.back());
        emit(both, rows.count.data(), rows.size);
        const std::size_t groups = merge_where(rows, static_cast<std::uint8_t>(n_ - 1));
        emit(set, merged_.data(), groups);
    }

    // All four sets at once that the last two variables decide between.
    void last_two_variables(const Rows<Count>& rows, const ScoredSet& set) {
        const int first = plan_.order[static_cast<std::size_t>(n_) - 2];
        const int second = plan_.order.back();
        const ScoredSet with_first = with_variable(plan_, set, first);
        emit(with_variable(plan_, with_first, second), rows.count.data(), rows.size);
        std::size_t groups = merge_where(rows, static_cast<std::uint8_t>(n_ - 2));
        emit(with_variable(plan_, set, second), merged_.data(), groups);
        groups = split_groups(rows, first);
        emit(with_first, merged_.data(), groups);
        groups = merge_where(rows, kNewGroup - 1);
        emit(set, merged_.data(), groups);
    }

    // Writes to merged_ the counts after merging each row with the one before it when they differ in `position` at
    // most.
    std::size_t merge_where(const Rows<Count>& rows, std::uint8_t position) {
        const std::size_t size = rows.size;
        if (merged_.size() < size) merged_.resize(size);
        const Count* __restrict count = rows.count.data();
        const std::uint8_t* __restrict differs = rows.differs.data();
        Count* __restrict out = merged_.data();
        std::size_t place = static_cast<std::size_t>(-1);
        Count merged = 0;
        for (std::size_t r = 0; r < size; ++r) {
            const std::uint32_t merges = differs[r] <= position;
            place += 1 - merges;
            merged = count[r] + (merged & (Count{0} - merges));
            out[place] = merged;
        }
        return place + 1;
    }

    // The set itself and, size allowing, the set with one more variable, straight from the groups.
    void add_at_most_one(const Rows<Count>& rows, int i, const ScoredSet& set) {
        const std::size_t groups = merge_where(rows, kNewGroup - 1);
        emit(set, merged_.data(), groups);
        if (set.size >= plan_.max_size) return;
        for (int j = i; j < n_ && !stopped_; ++j) {
            const int variable = plan_.order[static_cast<std::size_t>(j)];
            const std::size_t split = split_groups(rows, variable);  // before data(), which it may move
            emit(with_variable(plan_, set, variable), merged_.data(), split);
        }
    }

    // Writes to merged_ the counts of each state of the variable in each group, some of them perhaps 0.
    std::size_t split_groups(const Rows<Count>& rows, int variable) {
        const std::uint16_t* column = plan_.table.columns[static_cast<std::size_t>(variable)].data();
        const std::size_t states = plan_.table.arities[static_cast<std::size_t>(variable)];
        return states <= 4 ? split_by_few(rows, column, states) : split_by_many(rows, column);
    }

    std::size_t split_by_few(const Rows<Count>& rows, const std::uint16_t* column, std::size_t states) {
        const std::size_t size = rows.size;
        // A group has two rows or more.
        if (merged_.size() < size / 2 * states) merged_.resize(size / 2 * states);
        std::fill_n(merged_.data(), size / 2 * states, Count{0});
        const Count* __restrict count = rows.count.data();
        const std::uint32_t* __restrict source = rows.source.data();
        const std::uint8_t* __restrict differs = rows.differs.data();
        Count* __restrict out = merged_.data();
        std::size_t group_end = 0, group = 0;
        for (std::size_t r = 0; r < size; ++r) {
            group = differs[r] == kNewGroup ? group_end : group;
            group_end = group + states;
            out[group + column[source[r]]] += count[r];
        }
        return group_end;
    }

    std::size_t split_by_many(const Rows<Count>& rows, const std::uint16_t* column) {
        if (merged_.size() < rows.size) merged_.resize(rows.size);
        std::size_t place = 0;
        for (std::size_t r = 0; r < rows.size;) {
            const std::size_t start = r;
            do {
                by_state_[column[rows.source[r]]] += rows.count[r];
                ++r;
            } while (r < rows.size && rows.differs[r] != kNewGroup);
            for (std::size_t s = start; s < r; ++s) {
                const Count count = std::exchange(by_state_[column[rows.source[s]]], Count{0});
                merged_[place] = count;
                place += count != 0;
            }
        }
        return place;
    }

    // No group of two rows is left: the score depends on the number of cells and the size alone.
    void all_alone(int i, const ScoredSet& set) {
        ++visit_;
        add_subsets(i, set);
    }

    void add_subsets(int i, const ScoredSet& set) {
        if (i == n_ || set.size == plan_.max_size) {
            if (!plan_.terms.tabulated()) {
                emit(set, nullptr, 0);
                return;
            }
            Memo& memo = memo_[set.cell_class];
            if (memo.visit != visit_) {
                emit(set, nullptr, 0);
                memo = {visit_, plan_.values[set.mask]};
            } else {
                plan_.values[set.mask] = memo.value;
                report();
            }
            return;
        }
        if (stopped_) return;
        add_subsets(i + 1, set);
        add_subsets(i + 1, with_variable(plan_, set, plan_.order[static_cast<std::size_t>(i)]));
    }

    void emit(const ScoredSet& set, const Count* counts, std::size_t groups) {
        if (plan_.terms.tabulated()) {
            write(set, counts, groups, plan_.terms.of_class(set.cell_class));
        } else {
            write(set, counts, groups, plan_.terms.make(set.cells));
        }
    }

    void write(const ScoredSet& set, const Count* counts, std::size_t groups, const CellTerms& terms) {
        Sum sum;
        sum.add(terms.constant);
        singletons_.add_to(sum, terms);
        if (terms.length > plan_.table.rows) {
            const double* by_count = terms.table;
            add_terms(sum, groups, [&](std::size_t g) { return by_count[counts[g]]; });
        } else {
            add_terms(sum, groups, [&](std::size_t g) { return terms(counts[g]); });
        }
        sum.add(plan_.function.edges(set.size));
        plan_.values[set.mask] = sum.value();
        report();
    }

    void report() {
        // After every set: it may have taken a pass through many rows.
        stopped_ = plan_.control.stop.load(std::memory_order_relaxed);
        if (++unreported_ == 1024) finish();
    }

    struct Memo {
        std::uint64_t visit = 0;
        double value = 0.0;
    };

    const Plan& plan_;
    int n_;
    std::vector<Rows<Count>> at_depth_;
    std::vector<std::vector<Count>> cells_at_depth_;
    std::vector<double> undecided_cells_;  // joint states of the variables from a position on
    std::vector<std::uint64_t> place_;
    SingletonGroups<Count> singletons_;
    std::vector<Count> merged_, alone_, by_state_;
    std::vector<std::uint8_t> pending_;
    std::vector<std::uint32_t> position_;
    std::vector<Memo> memo_;
    std::uint64_t visit_ = 0;
    std::uint64_t unreported_ = 0;
    bool stopped_ = false;
};

}  // namespace chordlearn
