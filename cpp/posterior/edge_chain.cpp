#include "posterior/edge_chain.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <limits>
#include <stdexcept>

#include "posterior/network_draws.hpp"

namespace chordlearn {

namespace {

constexpr std::size_t kMostKnown = std::size_t{1} << 21;  // sets whose scores are kept
constexpr std::uint64_t kMovesPerBlock = 100;
constexpr int kSmallestBlock = 4, kLargestBlock = 8;  // variables
constexpr int kMostWithAffinity = 200;                // variables

std::size_t place_of(int a, int b) {
    const std::size_t low = static_cast<std::size_t>(std::min(a, b)), high = static_cast<std::size_t>(std::max(a, b));
    return high * (high - 1) / 2 + low;
}

template <class F>
void for_each_in(const std::vector<std::uint64_t>& set, F&& f) {
    for (std::size_t w = 0; w < set.size(); ++w)
        for (std::uint64_t bits = set[w]; bits; bits &= bits - 1) f(static_cast<int>(64 * w) + std::countr_zero(bits));
}

}  // namespace

std::size_t EdgeChain::Hash::operator()(const Words& set) const {
    std::uint64_t hash = 0;
    for (std::uint64_t word : set) hash = Random(hash ^ word).bits();
    return static_cast<std::size_t>(hash);
}

EdgeChain::EdgeChain(Score score, const Rules& rules, const WideGraph& start, std::uint64_t seed)
    : score_(std::move(score)),
      n_(start.size()),
      max_clique_(rules.max_clique ? rules.max_clique : start.size()),
      words_((static_cast<std::size_t>(start.size()) + 63) / 64),
      neighbours_(start.size(), Words(words_, 0)),
      common_(words_, 0),
      reached_(words_, 0),
      frontier_(words_, 0),
      set_(words_, 0),
      random_(Random(seed).bits()) {
    if (!is_chordal(start)) throw std::invalid_argument("the graph to start from is not chordal");
    for (const auto& node : junction_forest(start).nodes)
        if (static_cast<int>(node.clique.size()) > max_clique_)
            throw std::invalid_argument("the graph to start from has too large a clique");
    for (const auto& [a, b] : edges_of(start)) {
        neighbours_[a][b >> 6] |= std::uint64_t{1} << (b & 63);
        neighbours_[b][a >> 6] |= std::uint64_t{1} << (a & 63);
    }
    for (int b = 0; b < n_; ++b)
        for (int a = 0; a < b; ++a) pairs_.emplace_back(a, b);
    required_ = rules.required;
    forbidden_ = rules.forbidden;
    fixed_.assign(pairs_.size(), 0);
    for (const auto* edges : {&rules.required, &rules.forbidden})
        for (const auto& [a, b] : *edges) {
            if (start.adjacent(a, b) != (edges == &rules.required))
                throw std::invalid_argument("the graph to start from breaks the rules");
            fixed_[place_of(a, b)] = 1;
        }
    affinity_.assign(pairs_.size(), 1);
    if (n_ > kMostWithAffinity) return;
    for (std::size_t place = 0; place < pairs_.size(); ++place) {
        const auto [a, b] = pairs_[place];
        const double gain = score_({a, b}) - score_({a}) - score_({b});
        affinity_[place] = 0.1 + std::max(gain, 0.0);
    }
}

std::vector<double> EdgeChain::run(std::uint64_t moves, const Control& control) {
    since_.assign(pairs_.size(), 0);
    present_.assign(pairs_.size(), 0);
    for (moves_ = 0; moves_ < moves && !pairs_.empty(); ++moves_) {
        if ((moves_ & 0xff) == 0 && control.stop.load(std::memory_order_relaxed)) break;
        if (random_.below(kMovesPerBlock) == 0) {
            blocks_ += redraw(choose_block());
        } else {
            const auto [a, b] = pairs_[random_.below(static_cast<std::uint32_t>(pairs_.size()))];
            toggles_ += toggle(a, b);
        }
    }
    std::vector<double> shares(pairs_.size(), 0);
    for (std::size_t place = 0; place < pairs_.size(); ++place) {
        const auto [a, b] = pairs_[place];
        if (has(neighbours_[a], b)) present_[place] += moves_ - since_[place];
        if (moves_ > 0) shares[place] = static_cast<double>(present_[place]) / static_cast<double>(moves_);
    }
    return shares;
}

bool EdgeChain::toggle(int a, int b) {
    const bool present = has(neighbours_[a], b);
    if (fixed_[place_of(a, b)] || !toggle_keeps_chordal(a, b, present)) return false;
    const double gain = present ? -gain_of_adding(a, b) : gain_of_adding(a, b);
    if (!(gain >= 0) && !(random_.unit() <= std::exp(gain / heat_))) return false;
    flip(a, b);
    return true;
}

void EdgeChain::flip(int a, int b) {
    const std::size_t place = place_of(a, b);
    if (has(neighbours_[a], b)) present_[place] += moves_ - since_[place];
    since_[place] = moves_;
    neighbours_[a][b >> 6] ^= std::uint64_t{1} << (b & 63);
    neighbours_[b][a >> 6] ^= std::uint64_t{1} << (a & 63);
}

// Variables that have to do with those chosen before; in every other block half of them are any.
std::vector<int> EdgeChain::choose_block() {
    const int wanted = kSmallestBlock + static_cast<int>(random_.below(kLargestBlock - kSmallestBlock + 1));
    const bool local = (random_.bits() & 1) != 0;
    std::vector<int> block, others;
    for (int i = 0; i < n_; ++i) others.push_back(i);
    while (static_cast<int>(block.size()) < std::min(wanted, n_)) {
        std::size_t next = random_.below(static_cast<std::uint32_t>(others.size()));
        if (!block.empty() && (local || (random_.bits() & 1))) {
            std::vector<double> weights;
            double total = 0;
            for (int j : others) {
                double most = 0;
                for (int i : block) most = std::max(most, affinity_[place_of(i, j)]);
                total += most;
                weights.push_back(total);
            }
            const double at = random_.unit() * total;
            next = static_cast<std::size_t>(std::lower_bound(weights.begin(), weights.end(), at) - weights.begin());
            next = std::min(next, others.size() - 1);
        }
        block.push_back(others[next]);
        others.erase(others.begin() + static_cast<std::ptrdiff_t>(next));
    }
    std::sort(block.begin(), block.end());
    return block;
}

bool EdgeChain::redraw(const std::vector<int>& block) {
    const int count = static_cast<int>(block.size());
    Instance instance;
    instance.n = count;
    instance.required.assign(count, 0);
    Words inside(words_, 0);
    for (int i : block) inside[i >> 6] |= std::uint64_t{1} << (i & 63);
    const auto index_of = [&](const Words& set) {
        Set index = 0;
        for (int k = 0; k < count; ++k) index |= static_cast<Set>(has(set, block[k])) << k;
        return index;
    };
    Graph before(count, 0);
    for (int k = 0; k < count; ++k) before[k] = index_of(neighbours_[block[k]]);
    // What each component outside touches.
    Words seen = inside;
    std::vector<int> stack;
    for (int first = 0; first < n_; ++first) {
        if (has(seen, first)) continue;
        Set touched = 0;
        stack.assign(1, first);
        seen[first >> 6] |= std::uint64_t{1} << (first & 63);
        while (!stack.empty()) {
            const int i = stack.back();
            stack.pop_back();
            touched |= index_of(neighbours_[i]);
            for_each_in(neighbours_[i], [&](int j) {
                if (has(seen, j)) return;
                seen[j >> 6] |= std::uint64_t{1} << (j & 63);
                stack.push_back(j);
            });
        }
        bool complete = true;
        for_each(touched, [&](int k) {
            complete = complete && (touched & ~before[k] & ~single(k)) == 0;
            instance.required[k] |= touched & ~single(k);
        });
        if (!complete) return false;
    }
    std::vector<Set> forbidden(count, 0);
    for (int k = 0; k < count; ++k)
        for (int m = 0; m < k; ++m) {
            const std::pair<int, int> pair{block[m], block[k]}, turned{block[k], block[m]};
            const auto among = [&](const EdgeList& edges) {
                return std::find_if(edges.begin(), edges.end(),
                                    [&](const auto& edge) { return edge == pair || edge == turned; }) != edges.end();
            };
            if (!fixed_[place_of(block[m], block[k])]) continue;
            auto& rule = among(required_) ? instance.required : forbidden;
            rule[k] |= single(m);
            rule[m] |= single(k);
        }
    std::vector<double> values(std::size_t{1} << count, kMinusInfinity);
    values[0] = 0;
    for (Set s = 1; s < values.size(); ++s) {
        const Set rest = s & (s - 1);
        bool possible = size(s) <= max_clique_ && (forbidden[lowest(s)] & rest) == 0;
        // With a set that may not be complete no larger one may.
        for_each(s, [&](int k) { possible = possible && values[s ^ single(k)] != kMinusInfinity; });
        if (!possible) continue;
        std::fill(set_.begin(), set_.end(), 0);
        for_each(s, [&](int k) { set_[block[k] >> 6] |= std::uint64_t{1} << (block[k] & 63); });
        values[s] = score(set_) / heat_;
    }
    instance.v = values.data();
    Control own;
    const NetworkSums sums(instance, 1, own);
    NetworkDraws draws(sums);
    const Graph after = draws.draw(random_.bits(), 0, unwatched());
    for (int k = 0; k < count; ++k)
        for_each((before[k] ^ after[k]) & below(k), [&](int m) { flip(block[k], block[m]); });
    return true;
}

// Leaves the common neighbours in common_.
bool EdgeChain::toggle_keeps_chordal(int a, int b, bool present) {
    int count = 0;
    for (std::size_t w = 0; w < words_; ++w) {
        common_[w] = neighbours_[a][w] & neighbours_[b][w];
        count += std::popcount(common_[w]);
    }
    if (present) {
        bool complete = true;
        for_each_in(common_, [&](int i) {
            for (std::size_t w = 0; w < words_ && complete; ++w) {
                std::uint64_t missing = common_[w] & ~neighbours_[i][w];
                if (i >> 6 == static_cast<int>(w)) missing &= ~(std::uint64_t{1} << (i & 63));
                complete = missing == 0;
            }
        });
        return complete;
    }
    if (count + 2 > max_clique_) return false;
    // Whether b is reached from a around the common neighbours.
    std::fill(reached_.begin(), reached_.end(), 0);
    std::fill(frontier_.begin(), frontier_.end(), 0);
    frontier_[a >> 6] = std::uint64_t{1} << (a & 63);
    reached_ = frontier_;
    for (bool grown = true; grown;) {
        grown = false;
        std::fill(set_.begin(), set_.end(), 0);
        for_each_in(frontier_, [&](int i) {
            for (std::size_t w = 0; w < words_; ++w) set_[w] |= neighbours_[i][w];
        });
        for (std::size_t w = 0; w < words_; ++w) {
            frontier_[w] = set_[w] & ~common_[w] & ~reached_[w];
            reached_[w] |= frontier_[w];
            grown = grown || frontier_[w] != 0;
        }
        if (has(reached_, b)) return false;
    }
    return true;
}

double EdgeChain::gain_of_adding(int a, int b) {
    const auto with = [&](bool has_a, bool has_b) {
        set_ = common_;
        if (has_a) set_[a >> 6] |= std::uint64_t{1} << (a & 63);
        if (has_b) set_[b >> 6] |= std::uint64_t{1} << (b & 63);
        return score(set_);
    };
    const double together = with(true, true), separator = with(false, false);
    return together + separator - with(true, false) - with(false, true);
}

double EdgeChain::score(const Words& set) {
    const auto found = known_.find(set);
    if (found != known_.end()) return found->second;
    std::vector<int> variables;
    for_each_in(set, [&](int i) { variables.push_back(i); });
    const double value = variables.empty() ? 0 : score_(variables);
    if (known_.size() >= kMostKnown) known_.clear();
    known_.emplace(set, value);
    return value;
}

double EdgeChain::steepest() const {
    return affinity_.empty() ? 0 : *std::max_element(affinity_.begin(), affinity_.end());
}

EdgeList EdgeChain::edges() const {
    EdgeList edges;
    for (const auto& [a, b] : pairs_)
        if (has(neighbours_[a], b)) edges.emplace_back(a, b);
    return edges;
}

}  // namespace chordlearn
