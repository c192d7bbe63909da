#include "bounding/small_scores.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <functional>
#include <limits>
#include <map>

#include "common/parallel.hpp"
#include "common/simd.hpp"
#include "scoring/some_sets.hpp"
#include "scoring/sum.hpp"

namespace chordlearn {

namespace {

using Word = std::uint64_t;

constexpr std::uint64_t kMostBits = std::uint64_t{1} << 35;  // 4 GB of bit-sliced columns
constexpr double kMostCellBytes = 1e9;                       // for the rows of all cells of a set, in all threads

// No set of so many variables has more joint states.
double most_cells(const CodedTable& table, int size) {
    std::vector<std::uint32_t> arities = table.arities;
    std::sort(arities.begin(), arities.end(), std::greater<>());
    double cells = 1;
    for (int i = 0; i < size; ++i) cells *= arities[static_cast<std::size_t>(i)];
    return cells;
}

CHORDLEARN_CLONES std::uint32_t count_common(const Word* a, const Word* b, std::size_t words) {
    std::uint64_t count = 0;
    for (std::size_t k = 0; k < words; ++k) count += static_cast<std::uint64_t>(__builtin_popcountll(a[k] & b[k]));
    return static_cast<std::uint32_t>(count);
}

CHORDLEARN_CLONES void keep_common(const Word* a, const Word* b, Word* common, std::size_t words) {
    for (std::size_t k = 0; k < words; ++k) common[k] = a[k] & b[k];
}

// For each state of each column the rows that have it, as bits; repeated rows too.
struct SlicedTable {
    std::size_t words;
    std::vector<std::vector<Word>> states;  // by column: its states one after the other
    std::vector<std::uint32_t> distinct;    // the distinct row of each row

    SlicedTable(const CodedTable& table, const Control& control)
        : words((table.rows + 63) / 64), states(table.columns.size()) {
        for (std::size_t r = 0; r < table.distinct(); ++r)
            distinct.insert(distinct.end(), table.weights[r], static_cast<std::uint32_t>(r));
        for (std::size_t i = 0; i < states.size(); ++i) {
            control.check();
            states[i].assign(table.arities[i] * words, 0);
            for (std::size_t row = 0; row < distinct.size(); ++row)
                states[i][table.columns[i][distinct[row]] * words + row / 64] |= Word{1} << (row % 64);
        }
    }

    // A walk holds the rows of every cell that has two or more of them, for sets of all sizes but the largest.
    static bool pays(const CodedTable& table, int largest, int threads) {
        std::uint64_t bits = 0;
        for (const std::uint32_t arity : table.arities) bits += table.rows * arity;
        const double rows = static_cast<double>(table.rows);
        const double cell_bytes = std::min(most_cells(table, largest - 1), rows / 2) * rows / 8;
        return table.rows > 0 && table.rows <= 8 * table.distinct() && bits <= kMostBits &&
               cell_bytes * threads <= kMostCellBytes;
    }
};

// The terms of small counts for one number of cells, each computed when first asked for.
class Terms {
public:
    Terms(const ScoreFunction& function, double cells)
        : function_(function),
          cells_(cells),
          constant_(function.constant(cells)),
          few_(1024, std::numeric_limits<double>::quiet_NaN()) {}

    double constant() const { return constant_; }
    double of(std::uint32_t count) {
        if (count >= few_.size()) return function_.term(count, cells_);
        double& term = few_[count];
        if (std::isnan(term)) term = function_.term(count, cells_);
        return term;
    }

private:
    const ScoreFunction& function_;
    double cells_;
    double constant_;
    std::vector<double> few_;
};

// Goes through the sets depth first. At each depth it holds the rows of every cell of the set so far; a cell of one row
// stays alone whatever is added, so that only its number counts.
class Walk {
public:
    Walk(const CodedTable& table, const SlicedTable& sliced, const ScoreFunction& function, const SetIndex& index,
         const Control& control, double* values, std::uint32_t* occurring)
        : table_(table),
          sliced_(sliced),
          function_(function),
          index_(index),
          control_(control),
          values_(values),
          occurring_(occurring),
          depths_(static_cast<std::size_t>(index.largest())) {
        Depth& root = depths_[0];
        root.rows.assign(sliced.words, ~Word{0});
        if (table.rows % 64) root.rows.back() = (Word{1} << (table.rows % 64)) - 1;
        root.counts = {static_cast<std::uint32_t>(table.rows)};
        root.listed_end = {0};
        by_state_.resize(*std::max_element(table.arities.begin(), table.arities.end()));
    }

    // All sets that begin with this variable.
    void run(int variable) { add(depths_[0], 0, variable, 0); }

private:
    struct Depth {
        std::vector<Word> rows;  // of each cell with two rows or more
        std::vector<std::uint32_t> counts;
        std::vector<std::uint32_t> listed;    // distinct rows of the cells with few of them, cell after cell
        std::vector<std::size_t> listed_end;  // of each cell
        std::uint32_t singles = 0;
        double cells = 1.0;
    };

    void add(const Depth& depth, int size, int variable, std::size_t number) {
        control_.check();
        number += index_.choose(variable, size + 1);
        values_[index_.first(size + 1) + number] = score(depth, size + 1, variable);
        if (size + 1 == index_.largest()) {
            if (occurring_) occurring_[number] = cells_;
            return;
        }
        Depth& next = depths_[static_cast<std::size_t>(size + 1)];
        split(depth, variable, next);
        for (int later = variable + 1; later < index_.n(); ++later) add(next, size + 1, later, number);
    }

    double score(const Depth& depth, int size, int variable) {
        const std::size_t states = table_.arities[static_cast<std::size_t>(variable)];
        const Word* bits = sliced_.states[static_cast<std::size_t>(variable)].data();
        const std::uint16_t* codes = table_.columns[static_cast<std::size_t>(variable)].data();
        Terms& terms = terms_of(depth.cells * static_cast<double>(states));
        Sum sum;
        sum.add(terms.constant());
        sum.add(depth.singles * terms.of(1));
        cells_ = depth.singles;
        constexpr std::size_t kBlock = 64;
        for (std::size_t c = 0; c < depth.counts.size();) {
            control_.check();
            double part = 0;
            for (const std::size_t end = std::min(depth.counts.size(), c + kBlock); c < end; ++c) {
                std::uint32_t left = depth.counts[c];
                const std::size_t first = c ? depth.listed_end[c - 1] : 0, last = depth.listed_end[c];
                if (first < last && 4 * left < (states - 1) * (sliced_.words + 8)) {
                    std::fill_n(by_state_.begin(), states, 0);
                    for (std::size_t k = first; k < last; ++k) ++by_state_[codes[depth.listed[k]]];
                    for (std::size_t s = 0; s < states; ++s)
                        if (by_state_[s]) part += terms.of(by_state_[s]), ++cells_;
                    continue;
                }
                for (std::size_t s = 0; s + 1 < states && left > 0; ++s) {
                    const std::uint32_t count =
                        count_common(&depth.rows[c * sliced_.words], bits + s * sliced_.words, sliced_.words);
                    left -= count;
                    if (count) part += terms.of(count), ++cells_;
                }
                if (left) part += terms.of(left), ++cells_;
            }
            sum.add(part);
        }
        sum.add(function_.edges(size));
        return sum.value();
    }

    void split(const Depth& depth, int variable, Depth& next) {
        const std::size_t states = table_.arities[static_cast<std::size_t>(variable)];
        const Word* bits = sliced_.states[static_cast<std::size_t>(variable)].data();
        const std::size_t words = sliced_.words;
        next.cells = depth.cells * static_cast<double>(states);
        next.singles = depth.singles;
        next.counts.clear();
        next.listed.clear();
        next.listed_end.clear();
        next.rows.resize(std::max(next.rows.size(), depth.counts.size() * words));
        for (std::size_t c = 0; c < depth.counts.size(); ++c) {
            control_.check();
            const Word* rows = &depth.rows[c * words];
            std::uint32_t left = depth.counts[c];
            for (std::size_t s = 0; s < states && left > 0; ++s) {
                const std::uint32_t count = s + 1 == states ? left : count_common(rows, bits + s * words, words);
                left -= count;
                if (count == 1) ++next.singles;
                if (count < 2) continue;
                if (next.rows.size() < (next.counts.size() + 1) * words)
                    next.rows.resize(2 * (next.counts.size() + 1) * words);
                Word* common = &next.rows[next.counts.size() * words];
                keep_common(rows, bits + s * words, common, words);
                if (count < 8 * words)
                    for (std::size_t w = 0; w < words; ++w)
                        for (Word left_in_word = common[w]; left_in_word; left_in_word &= left_in_word - 1)
                            next.listed.push_back(
                                sliced_.distinct[64 * w + static_cast<std::size_t>(std::countr_zero(left_in_word))]);
                next.listed_end.push_back(next.listed.size());
                next.counts.push_back(count);
            }
        }
    }

    Terms& terms_of(double cells) {
        const auto found = terms_.find(cells);
        return found != terms_.end() ? found->second : terms_.try_emplace(cells, function_, cells).first->second;
    }

    const CodedTable& table_;
    const SlicedTable& sliced_;
    const ScoreFunction& function_;
    const SetIndex& index_;
    const Control& control_;
    double* values_;
    std::uint32_t* occurring_;
    std::uint32_t cells_ = 0;  // that occur, of the set scored last
    std::vector<Depth> depths_;
    std::map<double, Terms> terms_;
    std::vector<std::uint32_t> by_state_;
};

}  // namespace

std::vector<double> score_small_sets(const CodedTable& table, const ScoreOptions& options, const SetIndex& index,
                                     int threads, Control& control, std::uint32_t* occurring) {
    std::vector<double> values(index.count());
    const auto n = static_cast<std::size_t>(index.n());
    if (options.unit == 1.0 && SlicedTable::pays(table, index.largest(), threads)) {
        const SlicedTable sliced(table, control);
        const ScoreFunction function(options, static_cast<double>(table.rows), most_cells(table, index.largest()));
        parallel_for(n, threads, [&](std::size_t i) {
            Walk(table, sliced, function, index, control, values.data(), occurring).run(static_cast<int>(i));
        });
        return values;
    }
    // One task for each smallest element, so that consecutive sets share their beginning.
    parallel_for(n, threads, [&](std::size_t i) {
        SetScorer scorer(table, options);
        std::vector<int> set;
        const auto walk = [&](const auto& again, int variable, std::size_t number) -> void {
            control.check();
            set.push_back(variable);
            const int size = static_cast<int>(set.size());
            number += index.choose(variable, size);
            values[index.first(size) + number] = scorer.score(set);
            if (occurring && size == index.largest()) {
                const std::vector<std::uint64_t> counts = scorer.counts(set);
                occurring[number] =
                    static_cast<std::uint32_t>(std::count_if(counts.begin(), counts.end(), [&](auto count) {
                        return static_cast<double>(count) * options.unit >= 1.0;
                    }));
            }
            for (int later = variable + 1; size < index.largest() && later < index.n(); ++later)
                again(again, later, number);
            set.pop_back();
        };
        walk(walk, static_cast<int>(i), 0);
    });
    return values;
}

}  // namespace chordlearn
