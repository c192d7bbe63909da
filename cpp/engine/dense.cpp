#include "engine/dense.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <memory>
#include <unordered_map>

#include "common/parallel.hpp"
#include "common/simd.hpp"
#include "scoring/sum.hpp"

// Variables other than the root are numbered anew: 0, 1, 2 are the low ones (a, b, c), the others the high ones. A
// state (C,U) belongs to the block of its high parts (C^h, U^h). A block holds the 54 ways in which the low variables
// lie in C, in U or in neither, and the root in C or not: 2·3³. There is a group for each low part of U, and four
// vectors of 16 lanes read a block; the last overlaps the third, so that it ends where the block does:
//
//   place    0               16      24      32      40  44  48  52
//            ┌───────────────┬───────┬───────┬───────┬───┬───┬───┬─┐
//   low U    │       ∅       │   a   │   b   │   c   │ab │ac │bc │ │ abc
//            └───────────────┴───────┴───────┴───────┴───┴───┴───┴─┘
//   vectors  ╰── kRead[0] ──╯╰── kRead[1] ──╯╰── kRead[2] ──╯
//                                                  ╰── kRead[3] ──╯
//
// Within a group the root is the lowest bit of the place and the low variables outside U are the higher bits, 1 if in
// C. So the group of U = b, of places 24 to 31, holds these low parts of C (r is the root):
//
//   place    24  25  26  27  28  29  30  31
//   low C     ∅   r   a  ar   c  cr  ac acr
//
// A sum over a split of U adds two entries with the same C and root, whose U are the two parts: for (U = ab, C = c) the
// entries (a, c) and (b, c). The shuffles below bring such entries into the same lane.

namespace chordlearn {

namespace {

using Fixed = std::int32_t;
using Vector = Fixed __attribute__((vector_size(64)));
using Lanes = Vector;

constexpr int kLow = 3, kEntries = 54;
constexpr Fixed kImpossible = -(1 << 29), kLeastPossible = -(1 << 28), kLargest = 1 << 26;
// Where the group of each low part of U begins, by bit mask: ∅ a b ab c ac bc abc.
constexpr std::array<int, 8> kGroup = {0, 16, 24, 40, 32, 44, 48, 52};
// The four vectors in which a block is read; the last overlaps the third.
constexpr std::array<int, 4> kRead = {0, 16, 32, 38};

// Place of the entry with these low variables in U and in C.
constexpr int entry(int low_u, int low_c, int root) {
    int place = 0, bit = 1;
    for (int i = 0; i < kLow; ++i)
        if (!(low_u >> i & 1)) {
            place |= (low_c >> i & 1) << bit;
            ++bit;
        }
    return kGroup[low_u] + place + root;
}

// One term of an output: the entries of the two parts whose sum it is.
struct Term {
    int first, second;
};

// For each lane of an output vector, low parts of U, and which entry of the block it is.
struct Lane {
    int low_u, low_c, root;
};
constexpr Lane lane_of(int place) {
    for (int low_u = 0; low_u < 8; ++low_u)
        for (int low_c = 0; low_c < 8; ++low_c)
            for (int root = 0; root < 2; ++root)
                if (!(low_u & low_c) && entry(low_u, low_c, root) == place) return {low_u, low_c, root};
    return {0, 0, 0};
}
// The sum for an entry of which part `one` of its low U goes to the first part and the rest to the second.
constexpr Term term(Lane lane, int one) {
    return {entry(one, lane.low_c, lane.root), entry(lane.low_u & ~one, lane.low_c, lane.root)};
}

// How an entry of a block is made from others of the same block, and from the block without high U.
struct Entry {
    std::uint8_t place = 0, low_u = 0, low_c = 0, score = 0;
    std::uint8_t drops = 0, adds = 0, splits = 0;
    std::array<std::uint8_t, 4> drop{};
    std::array<std::uint8_t, 3> add{}, add_score{};
    std::array<std::uint8_t, 7> part{}, rest{};
};

constexpr std::array<Entry, kEntries> entries_in_order() {
    std::array<Entry, kEntries> entries{};
    int count = 0;
    for (int low_u = 0; low_u < 8; ++low_u)
        for (int low_c = 0; low_c < 8; ++low_c)
            for (int root = 0; root < 2; ++root) {
                if (low_u & low_c) continue;
                Entry e;
                e.place = static_cast<std::uint8_t>(entry(low_u, low_c, root));
                e.low_u = static_cast<std::uint8_t>(low_u);
                e.low_c = static_cast<std::uint8_t>(low_c);
                e.score = static_cast<std::uint8_t>(low_c << 1 | root);
                if (root) e.drop[e.drops++] = static_cast<std::uint8_t>(entry(low_u, low_c, 0));
                for (int bit = 1; bit < 8; bit <<= 1) {
                    if (low_c & bit) e.drop[e.drops++] = static_cast<std::uint8_t>(entry(low_u, low_c & ~bit, root));
                    if (low_u & bit) {
                        e.add_score[e.adds] = static_cast<std::uint8_t>((low_c | bit) << 1 | root);
                        e.add[e.adds++] = static_cast<std::uint8_t>(entry(low_u & ~bit, low_c | bit, root));
                    }
                }
                for (int part = 1; part <= low_u; ++part)
                    if ((part & ~low_u) == 0) {
                        e.part[e.splits] = static_cast<std::uint8_t>(entry(part, low_c, root));
                        e.rest[e.splits++] = static_cast<std::uint8_t>(entry(low_u & ~part, low_c, root));
                    }
                entries[count++] = e;
            }
    return entries;
}
constexpr std::array<Entry, kEntries> kEntriesInOrder = entries_in_order();

using Places = std::array<int, 16>;  // an entry of the block for each lane

// Two-source shuffle: lanes 0–15 from the first, 16–31 from the second vector.
template <const Places& places, int X, int Y>
inline constexpr auto mask_of = [] {
    std::array<int, 16> mask{};
    for (int lane = 0; lane < 16; ++lane) {
        const int in_x = places[lane] - kRead[X], in_y = places[lane] - kRead[Y];
        mask[lane] = in_x >= 0 && in_x < 16 ? in_x : in_y >= 0 && in_y < 16 ? 16 + in_y : 0;
    }
    return mask;
}();
inline __attribute__((always_inline)) Vector maximum(Vector a, Vector b) { return a > b ? a : b; }
inline __attribute__((always_inline)) Vector load(const Fixed* from) {
    Vector out;
    __builtin_memcpy(&out, from, sizeof out);
    return out;
}
inline __attribute__((always_inline)) void store(Fixed* to, Vector value) {
    __builtin_memcpy(to, &value, sizeof value);
}

struct Block {
    Vector part[4];
};
inline __attribute__((always_inline)) Block load_block(const Fixed* from) {
    return {{load(from + kRead[0]), load(from + kRead[1]), load(from + kRead[2]), load(from + kRead[3])}};
}

#if defined(__clang__)
template <const Places& places, int X, int Y>
inline __attribute__((always_inline)) Vector pick(const Block& block) {
    constexpr const auto& m = mask_of<places, X, Y>;
    return __builtin_shufflevector(block.part[X], block.part[Y], m[0], m[1], m[2], m[3], m[4], m[5], m[6], m[7], m[8],
                                   m[9], m[10], m[11], m[12], m[13], m[14], m[15]);
}
#else
inline __attribute__((always_inline)) Vector as_vector(const std::array<int, 16>& a) {
    return Vector{a[0], a[1], a[2], a[3], a[4], a[5], a[6], a[7], a[8], a[9], a[10], a[11], a[12], a[13], a[14], a[15]};
}
template <const Places& places, int X, int Y>
inline __attribute__((always_inline)) Vector pick(const Block& block) {
    return __builtin_shuffle(block.part[X], block.part[Y], as_vector(mask_of<places, X, Y>));
}
#endif
// The places of the 16 lanes read at kRead[part], whose low U is split so that `one` (a function of the low U)
// goes to the first part; `second` tells which of the two parts is wanted.
template <class One>
constexpr Places split_places(int part, bool second, One one) {
    Places places{};
    for (int lane = 0; lane < 16; ++lane) {
        const Lane l = lane_of(kRead[part] + lane);
        const Term t = term(l, one(l.low_u));
        places[lane] = second ? t.second : t.first;
    }
    return places;
}
constexpr int lowest_part(int low_u) { return low_u & -low_u; }

constexpr Places kOne0 = split_places(1, true, [](int u) { return u; });  // second part: none of U
constexpr Places kTwo0 = split_places(2, true, [](int u) { return u; });
constexpr Places kTwoLowest = split_places(2, false, lowest_part);  // first part: the lowest of U
constexpr Places kTwoOthers = split_places(2, true, lowest_part);   // second part: the others of U
constexpr Places kThree0 = split_places(3, true, [](int u) { return u; });

constexpr Places kThreeLowest = split_places(3, false, lowest_part);
constexpr Places kThreeOthers = split_places(3, true, lowest_part);

// The ways to split abc that leave neither part with the lowest alone: b, ac, c and ab for the first part.
template <bool second>
constexpr Places other_splits_abc() {
    constexpr int kWays[4] = {2, 5, 4, 3};
    Places places{};
    for (int lane = 0; lane < 16; ++lane) {
        const Term t = term(lane_of(kGroup[7] + lane % 2), kWays[lane / 2 % 4]);
        places[lane] = second ? t.second : t.first;
    }
    return places;
}
constexpr Places kAbcFirst = other_splits_abc<false>(), kAbcSecond = other_splits_abc<true>();

constexpr Vector filled(Fixed value) {
    return Vector{value, value, value, value, value, value, value, value,
                  value, value, value, value, value, value, value, value};
}

// Best sums over all ways to split the high part of U; `blocks` are those of one C^h, `places[k]` lists the
// pairs of blocks.
CHORDLEARN_CLONES void split_high(const Fixed* blocks, const std::uint32_t* pairs, std::size_t count, Fixed* out) {
    Vector none = filled(kImpossible), one = none, two = none, pairs_of_two = none, three = none, abc = none;
    for (std::size_t k = 0; k < count; ++k) {
        const Block a = load_block(blocks + std::size_t{pairs[2 * k]} * kEntries);
        const Block b = load_block(blocks + std::size_t{pairs[2 * k + 1]} * kEntries);
        none = maximum(none, a.part[0] + b.part[0]);
        one = maximum(one, a.part[1] + pick<kOne0, 0, 1>(b));
        one = maximum(one, pick<kOne0, 0, 1>(a) + b.part[1]);
        two = maximum(two, a.part[2] + pick<kTwo0, 0, 1>(b));
        two = maximum(two, pick<kTwo0, 0, 1>(a) + b.part[2]);
        pairs_of_two = maximum(pairs_of_two, pick<kTwoLowest, 1, 2>(a) + pick<kTwoOthers, 1, 2>(b));
        pairs_of_two = maximum(pairs_of_two, pick<kTwoOthers, 1, 2>(a) + pick<kTwoLowest, 1, 2>(b));
        three = maximum(three, a.part[3] + pick<kThree0, 0, 1>(b));
        three = maximum(three, pick<kThree0, 0, 1>(a) + b.part[3]);
        three = maximum(three, pick<kThreeLowest, 1, 2>(a) + pick<kThreeOthers, 2, 3>(b));
        three = maximum(three, pick<kThreeOthers, 2, 3>(a) + pick<kThreeLowest, 1, 2>(b));
        abc = maximum(abc, pick<kAbcFirst, 1, 2>(a) + pick<kAbcSecond, 1, 2>(b));
    }
    store(out + kRead[0], maximum(load(out + kRead[0]), none));
    store(out + kRead[1], maximum(load(out + kRead[1]), one));
    // Lanes of which a vector holds no term are left alone.
    const auto take = [&](int place, Fixed value) { out[place] = std::max(out[place], value); };
    for (int lane = 0; lane < 16; ++lane) {
        take(kRead[2] + lane, two[lane]);
        if (kRead[2] + lane >= kGroup[3]) take(kRead[2] + lane, pairs_of_two[lane]);
        if (kRead[3] + lane >= kGroup[6]) take(kRead[3] + lane, three[lane]);
        if (lane < 8) take(kGroup[7] + lane % 2, abc[lane]);
    }
}

// The blocks from which one block is made by a drop or an add of a high variable.
struct Sources {
    std::size_t place = 0;
    Set u = 0;
    std::vector<const Fixed*> dropped;
    std::vector<std::pair<const Fixed*, const Fixed*>> added;  // block, scores of the larger C

    void prefetch() const {
        const auto touch = [](const Fixed* block) {
            for (int k = 0; k < kEntries; k += 16) __builtin_prefetch(block + k);
        };
        for (const Fixed* block : dropped) touch(block);
        for (const auto& [block, scores] : added) touch(block);
    }
};

// The best that dropping a high variable from C, or adding one of U to it, gives.
CHORDLEARN_CLONES void drop_or_add_high(const Sources& sources, const Fixed* scores, Fixed* out) {
    const Vector base = load(scores);
    Block best{{filled(kImpossible), filled(kImpossible), filled(kImpossible), filled(kImpossible)}};
    for (const Fixed* from : sources.dropped)
        for (int k = 0; k < 4; ++k) best.part[k] = maximum(best.part[k], load(from + kRead[k]));
    for (const auto& [from, larger] : sources.added) {
        Block gain;
        gain.part[0] = gain.part[1] = load(larger) - base;
        best.part[0] = maximum(best.part[0], load(from + kRead[0]) + gain.part[0]);
        best.part[1] = maximum(best.part[1], load(from + kRead[1]) + pick<kOne0, 0, 1>(gain));
        best.part[2] = maximum(best.part[2], load(from + kRead[2]) + pick<kTwo0, 0, 1>(gain));
        best.part[3] = maximum(best.part[3], load(from + kRead[3]) + pick<kThree0, 0, 1>(gain));
    }
    for (int k = 0; k < 4; ++k) store(out + kRead[k], best.part[k]);
}

class Dense {
public:
    Dense(const Relaxation& relaxation, int root, int threads, Control& control)
        : relaxation_(relaxation),
          instance_(relaxation.instance()),
          n_(instance_.n),
          high_(n_ - 1 - kLow),
          threads_(threads),
          control_(control) {
        for (int i = 0; i < n_; ++i)
            if (i != root) labels_.push_back(i);
        labels_.push_back(root);  // last
        scale_scores();
        number_blocks();
    }

    DenseResult run() {
        for (int layer = 0; layer <= high_; ++layer)
            for (int cs = 0; cs + layer <= high_; ++cs)
                parallel_for(by_size_[cs].size(), threads_, [&](std::size_t k) {
                    control_.check();
                    work(by_size_[cs][k], layer);
                });
        return read_off();
    }

private:
    // Positions: the low variables are bits 1–3, the root bit 0, the high ones follow.
    Set unplaced(std::size_t place) const {
        Set set = place & 1 ? single(labels_.back()) : 0;
        for (int i = 0; i < n_ - 1; ++i)
            if (place >> (i + 1) & 1) set |= single(labels_[i]);
        return set;
    }

    void scale_scores() {
        const std::size_t count = std::size_t{1} << n_;
        interaction_.resize(count);
        fixed_.resize(count);
        double largest = 1e-9;
        for (std::size_t place = 0; place < count; ++place) {
            const Set set = unplaced(place);
            double value = kMinusInfinity;
            if (relaxation_.keeps(set)) {
                Sum sum;
                sum.add(instance_.v[set]);
                for_each(set, [&](int i) { sum.add(-instance_.v[single(i)]); });
                value = sum.value();
                largest = std::max(largest, std::abs(value));
            }
            interaction_[place] = value;
        }
        // A network is worth at most the sum of its variables' best parts.
        double most = largest;
        double singles = 0;
        for (int i = 0; i < n_; ++i) singles += instance_.v[single(i)];
        most = std::max(most, std::abs(relaxation_.best_sum(instance_.all()) - singles));
        most = std::max(most, std::abs(relaxation_.lower() - singles));
        scale_ = std::exp2(std::floor(std::log2(kLargest / most)));
        double worst = 0;
        for (std::size_t place = 0; place < count; ++place) {
            if (interaction_[place] == kMinusInfinity) {
                fixed_[place] = kImpossible;
                continue;
            }
            const double exact = interaction_[place] * scale_, rounded = std::nearbyint(exact);
            worst = std::max(worst, std::abs(exact - rounded));
            fixed_[place] = static_cast<Fixed>(rounded);
        }
        error_ = (2 * n_ - 1) * worst;
    }

    void number_blocks() {
        const std::size_t count = std::size_t{1} << high_;
        first_block_.resize(count + 1);
        by_size_.resize(high_ + 1);
        std::uint64_t blocks = 0;
        for (std::size_t c = 0; c < count; ++c) {
            first_block_[c] = blocks;
            blocks += std::uint64_t{1} << (high_ - std::popcount(c));
            by_size_[std::popcount(c)].push_back(static_cast<Set>(c));
        }
        table_ = std::make_unique_for_overwrite<Fixed[]>(blocks * kEntries + 16);
        required_.assign(n_ - 1, 0);
        for (int i = 0; i < n_; ++i)
            for (int j = 0; j < n_ - 1; ++j)
                if (i < n_ - 1 && instance_.required[labels_[j]] >> labels_[i] & 1) required_[j] |= single(i);
        required_root_ = 0;
        for (int j = 0; j < n_ - 1; ++j)
            if (instance_.required[labels_[j]] >> labels_.back() & 1) required_root_ |= single(j);
        has_required_ = required_root_ != 0;
        for (Set r : required_) has_required_ |= r != 0;
    }

    // Place of U among the subsets of the high variables outside C.
    static std::size_t squeeze(Set u, Set outside) {
        std::size_t place = 0;
        int bit = 0;
        for (Set rest = outside; rest; rest &= rest - 1, ++bit)
            if (u & rest & -rest) place |= std::size_t{1} << bit;
        return place;
    }
    static Set expand(std::size_t place, Set outside) {
        Set u = 0;
        for (Set rest = outside; place; rest &= rest - 1, place >>= 1)
            if (place & 1) u |= rest & -rest;
        return u;
    }
    Fixed* block(Set c, Set u) const {
        return table_.get() + (first_block_[c] + squeeze(u, below(high_) & ~c)) * kEntries;
    }

    void find_sources(Set c, Set outside, std::size_t place, Sources& sources) const {
        const Set u = expand(place, outside);
        sources.place = place;
        sources.u = u;
        sources.dropped.clear();
        sources.added.clear();
        for_each(c, [&](int i) { sources.dropped.push_back(block(c & ~single(i), u)); });
        for_each(u, [&](int i) {
            const Set larger = c | single(i);
            sources.added.emplace_back(block(larger, u & ~single(i)),
                                       fixed_.data() + (std::size_t{larger} << (kLow + 1)));
        });
    }

    void work(Set c, int layer) {
        const Set outside = below(high_) & ~c;
        const std::size_t end = std::size_t{1} << size(outside);
        std::vector<std::uint32_t> pairs;
        Fixed* blocks = table_.get() + first_block_[c] * kEntries;
        const Fixed* scores = fixed_.data() + (std::size_t{c} << (kLow + 1));
        const auto next_of_size = [](std::size_t x) {
            if (x == 0) return ~std::size_t{0};
            const std::size_t low = x & -x, ripple = x + low;
            return ripple | (((x ^ ripple) >> 2) / low);
        };
        std::size_t place = (std::size_t{1} << layer) - 1;
        if (place >= end) return;
        // The sources of the next block are fetched while this one is worked on.
        Sources current, next;
        find_sources(c, outside, place, current);
        while (place < end) {
            const std::size_t following = next_of_size(place);
            if (following < end) {
                find_sources(c, outside, following, next);
                next.prefetch();
            }
            make_block(current, scores, blocks, pairs, c);
            std::swap(current, next);
            place = following;
        }
    }

    void make_block(const Sources& sources, const Fixed* scores, Fixed* blocks, std::vector<std::uint32_t>& pairs,
                    Set c) const {
        const std::size_t place = sources.place;
        Fixed out[kEntries + 16];
        drop_or_add_high(sources, scores, out);
        if (const std::size_t low = place & -place, more = place & ~low; more) {
            pairs.clear();
            for (std::size_t sub = (more - 1) & more;; sub = (sub - 1) & more) {
                pairs.push_back(static_cast<std::uint32_t>(sub | low));
                pairs.push_back(static_cast<std::uint32_t>(more & ~sub));
                if (sub == 0) break;
            }
            split_high(blocks, pairs.data(), pairs.size() / 2, out);
        }
        finish(c, sources.u, scores, blocks, out);
        std::copy(out, out + kEntries, blocks + place * kEntries);
    }

    // What happens among the low variables and the root, entry by entry; `alone` is the block without high U.
    void finish(Set c, Set u, const Fixed* scores, const Fixed* alone, Fixed* out) const {
        const Fixed* other = u == 0 ? out : alone;
        for (const Entry& e : kEntriesInOrder) {
            Fixed& value = out[e.place];
            const Fixed base = scores[e.score];
            if (base == kImpossible || (has_required_ && torn(c, u, e.low_u, e.low_c, e.score & 1))) {
                value = kImpossible;
                continue;
            }
            if (e.low_u == 0 && u == 0) {
                value = 0;
                continue;
            }
            Fixed best = value;
            for (int k = 0; k < e.drops; ++k) best = std::max(best, out[e.drop[k]]);
            for (int k = 0; k < e.adds; ++k) best = std::max(best, scores[e.add_score[k]] - base + out[e.add[k]]);
            // The last split takes all of the low U, which is nothing to split when there is no high U.
            const int splits = u == 0 ? e.splits - 1 : e.splits;
            for (int k = 0; k < splits; ++k) best = std::max(best, out[e.rest[k]] + other[e.part[k]]);
            value = best < kLeastPossible ? kImpossible : best;
        }
    }

    // Whether a required edge lies between U and what is neither in U nor in C.
    bool torn(Set c, Set u, int low_u, int low_c, int root) const {
        const Set whole_u = u << kLow | static_cast<Set>(low_u);
        const Set outside = below(n_ - 1) & ~(c << kLow | static_cast<Set>(low_c)) & ~whole_u;
        if (!root && (required_root_ & whole_u)) return true;
        bool found = false;
        for_each(whole_u, [&](int i) { found |= (required_[i] & outside) != 0; });
        return found;
    }

    Fixed value(Set c, Set u, int root) const {
        if (u == 0) return fixed_[std::size_t{c} << 1 | root] == kImpossible ? kImpossible : 0;
        return block(c >> kLow, u >> kLow)[entry(u & 7, c & 7, root)];
    }

    DenseResult read_off() {
        DenseResult result;
        const Set others = below(n_ - 1);
        const Fixed best = value(0, others, 1);
        result.rounding = error_ / scale_;
        double singles = 0;
        for (int i = 0; i < n_; ++i) singles += instance_.v[single(i)];
        if (best < kLeastPossible) {
            result.bound = kMinusInfinity;
            return result;
        }
        result.bound = singles + best / scale_ + result.rounding;
        any(0, others, 1, static_cast<Fixed>(std::floor(2 * error_)));
        result.network.graph.assign(n_, 0);
        trace_any(0, others, 1, result.network.graph);
        result.network.score = graph_score(result.network.graph, instance_.v);
        if (!gave_up_) {
            result.bound = result.network.score;
            result.rounding = 0;
        }
        return result;
    }

    // Among the derivations that lose at most `spare` steps of fixed point, the best one in double precision.
    struct Choice {
        double value = kMinusInfinity;
        Fixed spare = -1;
        enum Kind : std::uint8_t { drop, drop_root, add, split } kind = drop;
        Set set = 0;
    };

    static std::uint64_t key(Set c, Set u, int root) {
        return (std::uint64_t{c} << 33) | (std::uint64_t{u} << 1) | static_cast<std::uint64_t>(root);
    }
    double score_of(Set c, int root) const { return interaction_[std::size_t{c} << 1 | root]; }

    double any(Set c, Set u, int root, Fixed spare) {
        if (u == 0) return 0;
        const std::uint64_t k = key(c, u, root);
        if (const auto known = choices_.find(k); known != choices_.end() && known->second.spare >= spare)
            return known->second.value;
        control_.check();
        if (choices_.size() > kMostChoices) gave_up_ = true;
        if (gave_up_) spare = 0;
        const Fixed whole = value(c, u, root);
        Choice best;
        best.spare = spare;
        const auto consider = [&](Fixed fixed, Choice::Kind kind, Set set, auto&& exact) {
            if (whole - fixed > spare || (gave_up_ && best.value != kMinusInfinity)) return;
            const double found = exact(spare - (whole - fixed));
            if (found > best.value) best.value = found, best.kind = kind, best.set = set;
        };
        for_each(u, [&](int i) {
            const Set larger = c | single(i), rest = u & ~single(i);
            const Fixed gain = fixed_[std::size_t{larger} << 1 | root] - fixed_[std::size_t{c} << 1 | root];
            consider(gain + value(larger, rest, root), Choice::add, single(i), [&](Fixed left) {
                return score_of(larger, root) - score_of(c, root) + any(larger, rest, root, left);
            });
        });
        for_each(c, [&](int i) {
            const Set smaller = c & ~single(i);
            consider(value(smaller, u, root), Choice::drop, single(i),
                     [&](Fixed left) { return any(smaller, u, root, left); });
        });
        if (root) consider(value(c, u, 0), Choice::drop_root, 0, [&](Fixed left) { return any(c, u, 0, left); });
        const Set low = u & -u, more = u & ~low;
        if (more)
            for (Set sub = (more - 1) & more;; sub = (sub - 1) & more) {
                const Set part = sub | low, rest = u & ~part;
                consider(value(c, part, root) + value(c, rest, root), Choice::split, part,
                         [&](Fixed left) { return any(c, part, root, left) + any(c, rest, root, left); });
                if (sub == 0) break;
            }
        choices_[k] = best;
        return best.value;
    }

    void trace_any(Set c, Set u, int root, Graph& graph) const {
        if (u == 0) return;
        const Choice& choice = choices_.at(key(c, u, root));
        switch (choice.kind) {
            case Choice::drop: return trace_any(c & ~choice.set, u, root, graph);
            case Choice::drop_root: return trace_any(c, u, 0, graph);
            case Choice::split:
                trace_any(c, choice.set, root, graph);
                return trace_any(c, u & ~choice.set, root, graph);
            case Choice::add: {
                const int added = labels_[lowest(choice.set)];
                const auto connect = [&](int other) {
                    graph[added] |= single(other);
                    graph[other] |= single(added);
                };
                for_each(c, [&](int i) { connect(labels_[i]); });
                if (root) connect(labels_.back());
                trace_any(c | choice.set, u & ~choice.set, root, graph);
            }
        }
    }

    static constexpr std::size_t kMostChoices = 1'000'000;

    const Relaxation& relaxation_;
    const Instance& instance_;
    int n_, high_, threads_;
    Control& control_;
    std::vector<int> labels_;          // the variable of each position; the root last
    std::vector<double> interaction_;  // v minus its singles, by place; −∞ if not kept
    std::vector<Fixed> fixed_;         // the same in fixed point
    double scale_ = 1, error_ = 0;
    std::vector<std::uint64_t> first_block_;
    std::vector<std::vector<Set>> by_size_;
    std::unique_ptr<Fixed[]> table_;
    std::vector<Set> required_;
    Set required_root_ = 0;
    bool has_required_ = false;
    bool gave_up_ = false;
    std::unordered_map<std::uint64_t, Choice> choices_;
};

}  // namespace

DenseResult solve_dense(const Relaxation& relaxation, int root, int threads, Control& control) {
    return Dense(relaxation, root, threads, control).run();
}

std::uint64_t bytes_for_dense(int n) {
    std::uint64_t blocks = 1;
    for (int i = 0; i < n - 1 - kLow; ++i) blocks *= 3;
    const std::uint64_t sets = std::uint64_t{1} << n;
    return blocks * kEntries * sizeof(Fixed) + sets * (sizeof(double) + sizeof(Fixed));
}

}  // namespace chordlearn
