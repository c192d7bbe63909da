#include <algorithm>

#include "common/parallel.hpp"
#include "common/simd.hpp"
#include "engine/relaxation.hpp"

// Edges without which no network scores more than the lower bound. In a network without an edge between a and b,
// neither is a parent of the other, and no variable has both as parents, since parents are adjacent. The least
// loss of x with parents in U that are not both a and b is the smaller of those with parents in U∖a and in U∖b.

namespace chordlearn {

namespace {

constexpr int kLowBits = 5;
constexpr Set kBlock = Set{1} << kLowBits;

CHORDLEARN_CLONES void take_minimum(Steps* __restrict to, const Steps* __restrict from) {
    for (Set k = 0; k < kBlock; ++k) to[k] = std::min(to[k], from[k]);
}

CHORDLEARN_CLONES void take_minimum_sum(Steps* __restrict out, const Steps* __restrict a, const Steps* __restrict b) {
    for (Set k = 0; k < kBlock; ++k) out[k] = std::min(out[k], static_cast<Steps>(a[k] + b[k]));
}

// Up to two sets of variables that may be left out of what comes before a variable.
struct Choices {
    int count;
    Set out[2];
};

}  // namespace

int Relaxation::loss_without(int a, int b) const {
    const int n = instance_.n, low_bits = std::min(n, kLowBits);
    const Set all = instance_.all(), low_part = below(low_bits);
    std::vector<Choices> choices(n);
    for (int x = 0; x < n; ++x) {
        if (x == a || x == b)
            choices[x] = {1, {x == a ? single(b) : single(a), 0}};
        else if (instance_.required[x] & (single(a) | single(b)))
            choices[x] = {1, {0, 0}};  // leaving out what must be there would undo the demand
        else
            choices[x] = {2, {single(a), single(b)}};
    }
    std::vector<Steps> lost(std::max<std::size_t>(std::size_t{1} << n, kBlock));
    for (std::size_t start = std::size_t{1} << n; start;) {
        start -= std::size_t{1} << low_bits;
        const Set base = static_cast<Set>(start);
        Steps out[kBlock];
        std::fill(out, out + kBlock, kNever);
        for_each(all & ~base & ~low_part, [&](int x) {
            Steps local[kBlock];
            std::fill(local, local + kBlock, kNever);
            for (int c = 0; c < choices[x].count; ++c) {
                const Set left_out = choices[x].out[c];
                const Steps* from = least_[x].data() + squeeze(base & ~left_out, x);
                if (!(left_out & low_part)) {
                    take_minimum(local, from);
                    continue;
                }
                for (Set k = 0; k < kBlock; ++k) local[k] = std::min(local[k], from[k & ~left_out]);
            }
            take_minimum_sum(out, local, lost.data() + (base | single(x)));
        });
        for (Set low = low_part + 1; low-- > 0;) {
            const Set set = base | low;
            int fewest = set == all ? 0 : out[low];
            for_each(low_part & ~low, [&](int x) {
                for (int c = 0; c < choices[x].count; ++c)
                    fewest = std::min<int>(fewest, least(x, set & ~choices[x].out[c]) + out[low | single(x)]);
            });
            out[low] = static_cast<Steps>(fewest);
        }
        std::copy(out, out + low_part + 1, lost.begin() + base);
    }
    return lost[0];
}

double Relaxation::bound_without(int a, int b) const {
    if (instance_.required[a] >> b & 1) return kMinusInfinity;
    if (kept_count_ == 0) return lower_;
    return best_total_ - step_ * loss_without(a, b) + slack_;
}

std::vector<std::pair<int, int>> Relaxation::forced_edges(const std::vector<std::pair<int, int>>& pairs,
                                                          const Control& control) const {
    std::vector<std::uint8_t> forced(pairs.size());
    parallel_for(pairs.size(), threads_, [&](std::size_t k) {
        control.check();
        const auto [a, b] = pairs[k];
        forced[k] = kept_count_ == 0 || (instance_.required[a] >> b & 1) || loss_without(a, b) > budget_;
    });
    std::vector<std::pair<int, int>> edges;
    for (std::size_t k = 0; k < pairs.size(); ++k)
        if (forced[k]) edges.push_back(pairs[k]);
    return edges;
}

}  // namespace chordlearn
