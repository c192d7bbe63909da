#include "engine/states.hpp"

#include <algorithm>
#include <atomic>
#include <cmath>
#include <cstring>

#include "common/parallel.hpp"
#include "common/simd.hpp"

namespace chordlearn {

namespace {

using Loss = std::int16_t;
constexpr std::size_t kChunk = 64;

// below[x]: Relaxation::hanging_loss of the x-th subset below C, all at once.
CHORDLEARN_CLONES void hanging_losses(Loss* __restrict below, const Steps* __restrict forward,
                                      const Steps* __restrict backward, std::size_t count) {
    const Loss forward_start = static_cast<Loss>(forward[0]), backward_start = static_cast<Loss>(backward[0]);
    for (std::size_t x = 0; x < count; ++x) {
        const Loss a = static_cast<Loss>(static_cast<Loss>(forward[x]) - forward_start);
        const Loss b = static_cast<Loss>(backward_start - static_cast<Loss>(backward[x]));
        const Loss larger = a > b ? a : b;
        below[x] = larger > 0 ? larger : Loss{0};
    }
}

// Whether any of the pairs (x, complement of x) of a chunk stays within the budget.
CHORDLEARN_CLONES bool any_within(const Loss* __restrict up, const Loss* __restrict down, Loss budget) {
    Loss within = 0;
    for (std::size_t t = 0; t < kChunk; ++t)
        within |= static_cast<Loss>(up[t] <= static_cast<Loss>(budget - down[-static_cast<std::ptrdiff_t>(t)]));
    return within;
}

// The entries whose index has bit `position` set, that bit removed.
void take_upper(const Steps* from, Steps* to, int bits, int position) {
    const std::size_t run = std::size_t{1} << position, runs = std::size_t{1} << (bits - 1 - position);
    for (std::size_t k = 0; k < runs; ++k) {
        const Steps* source = from + (2 * k + 1) * run;
        if (run >= 8)
            std::memcpy(to, source, run * sizeof(Steps));
        else
            for (std::size_t t = 0; t < run; ++t) to[t] = source[t];
        to += run;
    }
}

// The parts of `set` that the tied pairs hold together.
std::vector<Set> tied_parts(const std::vector<Set>& tied, Set set) {
    std::vector<Set> parts;
    while (set) {
        Set part = set & -set, frontier = part;
        while (frontier) {
            Set next = 0;
            for_each(frontier, [&](int i) { next |= tied[i]; });
            frontier = next & set & ~part;
            part |= frontier;
        }
        parts.push_back(part);
        set &= ~part;
    }
    return parts;
}

// The order of sets in lists: by size, then by value.
bool precedes(Set x, Set y) { return size(x) != size(y) ? size(x) < size(y) : x < y; }

// What both scans share: where they look, and what they find.
struct Finding {
    const Relaxation& relaxation;
    const std::vector<Set>& tied;
    int root;
    std::uint64_t most;
    std::atomic<std::uint64_t>& count;
    const Control& control;
    std::vector<States::Clique> found{};

    bool full() const { return count.load(std::memory_order_relaxed) > most; }
    int budget(Set set) const { return relaxation.budget() - relaxation.loss_of(set); }

    bool torn(Set one, Set other) const {
        for (Set rest = one; rest; rest &= rest - 1)
            if (tied[lowest(rest)] & other) return true;
        return false;
    }
    void add(States::Clique&& clique) {
        if (clique.hung.empty()) return;
        count.fetch_add(clique.hung.size(), std::memory_order_relaxed);
        found.push_back(std::move(clique));
    }
};

// Tests the unions of tied parts one by one; for sets that leave few parts.
void look_at_unions(Finding& finding, Set set) {
    const Set others = finding.relaxation.instance().all() & ~set;
    const int budget = finding.budget(set);
    if (budget < 0) return;
    std::vector<Set> parts = tied_parts(finding.tied, others);
    std::erase_if(parts, [&](Set part) { return part >> finding.root & 1; });
    States::Clique clique{set, {}};
    std::vector<Set> unions(std::size_t{1} << parts.size(), 0);
    for (std::size_t x = 1; x < unions.size(); ++x) {
        const Set u = unions[x] = unions[x & (x - 1)] | parts[std::countr_zero(x)];
        const int loss = finding.relaxation.hanging_loss(set, u) + finding.relaxation.hanging_loss(set, others & ~u);
        if (loss <= budget) clique.hung.push_back(u);
    }
    finding.add(std::move(clique));
}

// Walks over all kept sets C, each once, with the two bounds restricted to the sets that contain C, and tests all U
// at a speed of several in a nanosecond.
class Scan {
public:
    explicit Scan(Finding& finding)
        : finding_(finding),
          relaxation_(finding.relaxation),
          instance_(relaxation_.instance()),
          forward_(instance_.n + 1),
          backward_(instance_.n + 1),
          losses_(std::size_t{1} << instance_.n) {}

    // C = {first} and everything kept that extends it by larger variables.
    void run_from(int first) {
        const int n = instance_.n;
        forward_[1].resize(std::size_t{1} << (n - 1));
        backward_[1].resize(std::size_t{1} << (n - 1));
        take_upper(relaxation_.forward(), forward_[1].data(), n, first);
        take_upper(relaxation_.backward(), backward_[1].data(), n, first);
        visit(single(first), 1, forward_[1].data(), backward_[1].data());
    }
    void run_empty() { look(0, relaxation_.forward(), relaxation_.backward()); }

private:
    void visit(Set set, int depth, const Steps* forward, const Steps* backward) {
        if (!relaxation_.keeps(set) || finding_.full()) return;
        finding_.control.check();
        look(set, forward, backward);
        const int bits = instance_.n - depth;
        for (int next = 32 - std::countl_zero(set); next < instance_.n; ++next) {
            if (!relaxation_.keeps(set | single(next))) continue;
            auto& f = forward_[depth + 1];
            auto& b = backward_[depth + 1];
            f.resize(std::size_t{1} << (bits - 1));
            b.resize(std::size_t{1} << (bits - 1));
            take_upper(forward, f.data(), bits, next - depth);
            take_upper(backward, b.data(), bits, next - depth);
            visit(set | single(next), depth + 1, f.data(), b.data());
        }
    }

    // Lists the U that may hang below this set.
    void look(Set set, const Steps* forward, const Steps* backward) {
        const Set others = instance_.all() & ~set;
        const int bits = size(others);
        const std::size_t count = std::size_t{1} << bits, full = count - 1;
        const int budget = finding_.budget(set);
        if (budget < 0) return;
        hanging_losses(losses_.data(), forward, backward, count);
        const std::size_t root_bit =
            others >> finding_.root & 1 ? std::size_t{1} << size(others & below(finding_.root)) : 0;

        std::vector<std::size_t> alive;
        const auto test = [&](std::size_t x) {
            if (x != 0 && !(x & root_bit) && losses_[x] + losses_[full ^ x] <= budget) alive.push_back(x);
        };
        if (count < kChunk) {
            for (std::size_t x = 0; x < count; ++x) test(x);
        } else {
            for (std::size_t x = 0; x < count; x += kChunk) {
                if (x & root_bit) continue;
                if (!any_within(losses_.data() + x, losses_.data() + (full - x), static_cast<Loss>(budget))) continue;
                for (std::size_t t = 0; t < kChunk; ++t) test(x + t);
            }
        }
        if (alive.empty()) return;

        int position[32], last = 0;
        for_each(others, [&](int i) { position[last++] = i; });
        States::Clique clique{set, {}};
        clique.hung.reserve(alive.size());
        for (std::size_t x : alive) {
            Set hung = 0;
            for_each(static_cast<Set>(x), [&](int k) { hung |= single(position[k]); });
            if (!finding_.torn(hung, others & ~hung)) clique.hung.push_back(hung);
        }
        finding_.add(std::move(clique));
    }

    Finding& finding_;
    const Relaxation& relaxation_;
    const Instance& instance_;
    std::vector<std::vector<Steps>> forward_, backward_;  // by depth
    std::vector<Loss> losses_;
};

// Whether testing unions of tied parts is less work than testing all U. A test costs some 20 times as much.
bool unions_are_fewer(const std::vector<Set>& tied, const std::vector<Set>& sets, Set all) {
    constexpr double kCostOfUnion = 20;
    double unions = 0, subsets = 0;
    for (Set set : sets) {
        unions += std::exp2(tied_parts(tied, all & ~set).size());
        subsets += std::exp2(size(all & ~set));
    }
    return unions * kCostOfUnion < subsets;
}

}  // namespace

int choose_root(const Relaxation& relaxation) {
    const Instance& instance = relaxation.instance();
    std::vector<std::uint64_t> occurrences(instance.n, 0);
    for (Set set : relaxation.kept_sets()) for_each(set, [&](int i) { ++occurrences[i]; });
    return static_cast<int>(std::max_element(occurrences.begin(), occurrences.end()) - occurrences.begin());
}

States find_states(const Relaxation& relaxation, int root, const std::vector<Set>& tied, std::uint64_t most,
                   const Control& control) {
    const int n = relaxation.instance().n;
    States states;
    states.root = root;
    if (relaxation.kept() == 0) return states;
    std::vector<Set> sets = relaxation.kept_sets();
    sets.push_back(0);
    std::atomic<std::uint64_t> count{0};
    std::vector<std::vector<States::Clique>> found;
    if (unions_are_fewer(tied, sets, relaxation.instance().all())) {
        constexpr std::size_t kGrain = 64;
        found.resize((sets.size() + kGrain - 1) / kGrain);
        parallel_for(found.size(), relaxation.threads(), [&](std::size_t part) {
            control.check();
            Finding finding{relaxation, tied, root, most, count, control};
            for (std::size_t k = part * kGrain; k < std::min(sets.size(), (part + 1) * kGrain); ++k)
                if (!finding.full()) look_at_unions(finding, sets[k]);
            found[part] = std::move(finding.found);
        });
    } else {
        found.resize(n + 1);
        parallel_for(n + 1, relaxation.threads(), [&](std::size_t first) {
            Finding finding{relaxation, tied, root, most, count, control};
            Scan scan(finding);
            if (static_cast<int>(first) == n)
                scan.run_empty();
            else
                scan.run_from(static_cast<int>(first));
            found[first] = std::move(finding.found);
        });
    }
    states.count = count;
    states.complete = states.count <= most;
    if (!states.complete) return states;
    for (auto& part : found)
        for (auto& clique : part) states.cliques.push_back(std::move(clique));
    std::sort(states.cliques.begin(), states.cliques.end(),
              [](const auto& x, const auto& y) { return precedes(x.set, y.set); });
    parallel_for(states.cliques.size(), relaxation.threads(), [&](std::size_t k) {
        std::vector<Set>& hung = states.cliques[k].hung;
        std::sort(hung.begin(), hung.end(), precedes);
    });
    return states;
}

}  // namespace chordlearn
