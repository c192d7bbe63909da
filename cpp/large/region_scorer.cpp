#include "large/region_scorer.hpp"

#include <algorithm>
#include <limits>

#include "common/simd.hpp"
#include "scoring/sum.hpp"

namespace chordlearn {

namespace {

constexpr double kMostCells = 1 << 16;
constexpr std::size_t kLanes = 4;
constexpr std::size_t kBlock = 1024;                      // rows whose keys stay in the cache
constexpr std::size_t kMostSlots = std::size_t{1} << 22;  // 100 MB

std::uint64_t spread(Mask set) {
    const std::uint64_t h = set.low * 0x9e3779b97f4a7c15ULL ^ (set.high + 1) * 0xbf58476d1ce4e5b9ULL;
    return ((h ^ (h >> 29)) * 0x94d049bb133111ebULL) >> 20;
}

CHORDLEARN_CLONES void append_digit(std::uint32_t* __restrict keys, const std::uint16_t* __restrict codes,
                                    std::uint32_t arity, std::size_t rows) {
    for (std::size_t r = 0; r < rows; ++r) keys[r] = keys[r] * arity + codes[r];
}

}  // namespace

RegionScorer::RegionScorer(const CodedTable& table, const TermStore& store, std::vector<int> variables)
    : table_(table),
      store_(store),
      variables_(std::move(variables)),
      countable_(table.rows <= std::numeric_limits<std::uint32_t>::max()),
      weights_(table.weights.begin(), table.weights.end()),
      slots_(1 << 12),
      keys_(kBlock) {}

bool RegionScorer::is_quick(Mask set) const {
    double cells = 1;
    for_each(set, [&](int place) { cells *= arity(place); });
    return cells <= kMostCells;
}

double RegionScorer::edge_gain(Mask common, int a, int b) {
    const Mask with_a = common | Mask::one(a), with_b = common | Mask::one(b), with = with_a | with_b;
    const double both = score(with);
    const Cells* cells = counted_.set == with ? &counted_ : nullptr;
    const double one = score(with_a, cells), other = score(with_b, cells);
    return both - one - other + score(common, cells);
}

double RegionScorer::neighbour_gain(Mask set, int x) {
    const Mask with = set | Mask::one(x);
    const double both = score(with);
    return both - score(set, counted_.set == with ? &counted_ : nullptr);
}

const double* RegionScorer::find(Mask set) const {
    const std::size_t last = slots_.size() - 1;
    for (std::size_t k = spread(set) & last; !slots_[k].set.empty(); k = (k + 1) & last)
        if (slots_[k].set == set) return &slots_[k].score;
    return nullptr;
}

double RegionScorer::keep(Mask set, double score) {
    if (2 * ++used_ > slots_.size()) {
        const bool full = slots_.size() >= kMostSlots;
        std::vector<Slot> old(full ? slots_.size() : 2 * slots_.size());
        old.swap(slots_);
        used_ = 1;
        if (!full)
            for (const Slot& slot : old)
                if (!slot.set.empty()) keep(slot.set, slot.score);
    }
    const std::size_t last = slots_.size() - 1;
    std::size_t k = spread(set) & last;
    while (!slots_[k].set.empty()) k = (k + 1) & last;
    slots_[k] = {set, score};
    return score;
}

double RegionScorer::score(Mask set, const Cells* within) {
    if (set.empty()) return 0;
    if (const double* known = find(set)) return *known;
    if (!countable_ || !is_quick(set)) return keep(set, score_slowly(set));
    if (!within) {
        count(set, counted_);
        return keep(set, score_of(counted_));
    }
    const Mask left_out = within->set & ~set;
    sum_out(*within, left_out.lowest(), summed_);
    if (left_out.size() == 1) return keep(set, score_of(summed_));
    sum_out(summed_, left_out.without_lowest().lowest(), summed_twice_);
    return keep(set, score_of(summed_twice_));
}

double RegionScorer::score_slowly(Mask set) {
    if (!slow_) slow_.emplace(table_, store_.options());
    std::vector<int> members;
    for_each(set, [&](int place) { members.push_back(variables_[place]); });
    return slow_->score(members);
}

void RegionScorer::count(Mask set, Cells& cells) {
    double states = 1;
    for_each(set, [&](int place) { states *= arity(place); });
    const auto size = static_cast<std::size_t>(states);
    cells.set = set;
    // In several lanes, because rows that follow each other often fall into the same cell.
    const std::size_t lanes = size * kLanes <= table_.distinct() ? kLanes : 1;
    lanes_.assign(size * lanes, 0);
    const std::size_t step = lanes == 1 ? 0 : size;
    std::uint32_t *lane0 = lanes_.data(), *lane1 = lane0 + step, *lane2 = lane1 + step, *lane3 = lane2 + step;
    std::uint32_t* keys = keys_.data();
    for (std::size_t start = 0; start < table_.distinct(); start += kBlock) {
        const std::size_t rows = std::min(kBlock, table_.distinct() - start);
        std::fill_n(keys, rows, 0);
        for_each(set, [&](int place) {
            append_digit(keys, table_.columns[variables_[place]].data() + start, arity(place), rows);
        });
        const std::uint32_t* weights = weights_.data() + start;
        std::size_t r = 0;
        for (; r + kLanes <= rows; r += kLanes) {
            lane0[keys[r]] += weights[r];
            lane1[keys[r + 1]] += weights[r + 1];
            lane2[keys[r + 2]] += weights[r + 2];
            lane3[keys[r + 3]] += weights[r + 3];
        }
        for (; r < rows; ++r) lane0[keys[r]] += weights[r];
    }
    cells.counts.assign(lane0, lane0 + size);
    for (std::size_t lane = 1; lane < lanes; ++lane)
        for (std::size_t c = 0; c < size; ++c) cells.counts[c] += lanes_[lane * size + c];
}

void RegionScorer::sum_out(const Cells& from, int place, Cells& to) const {
    std::size_t inner = 1;
    for_each(from.set & ~Mask::below(place + 1), [&](int i) { inner *= arity(i); });
    const std::size_t states = arity(place), outer = from.counts.size() / (inner * states);
    to.set = from.set & ~Mask::one(place);
    to.counts.assign(outer * inner, 0);
    const std::uint32_t* in = from.counts.data();
    for (std::size_t o = 0; o < outer; ++o) {
        std::uint32_t* out = to.counts.data() + o * inner;
        for (std::size_t s = 0; s < states; ++s)
            for (std::size_t i = 0; i < inner; ++i) out[i] += *in++;
    }
}

double RegionScorer::score_of(const Cells& cells) {
    const CellTerms& terms = terms_of(static_cast<double>(cells.counts.size()));
    Sum sum;
    sum.add(terms.constant);
    const std::uint32_t* counts = cells.counts.data();
    add_terms(sum, cells.counts.size(), [&](std::size_t c) { return counts[c] ? terms(counts[c]) : 0.0; });
    sum.add(store_.function().edges(cells.set.size()));
    return sum.value();
}

const CellTerms& RegionScorer::terms_of(double cells) {
    CellTerms& terms = terms_[cells];
    if (!terms.length) terms = store_.terms(cells, std::min(cells, static_cast<double>(table_.distinct())));
    return terms;
}

}  // namespace chordlearn
