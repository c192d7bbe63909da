#include <algorithm>
#include <cmath>
#include <optional>

#include "engine/dense.hpp"
#include "engine/exhaustive.hpp"
#include "engine/pruned.hpp"
#include "engine/search.hpp"
#include "engine/top.hpp"
#include "fuzz/inputs.hpp"
#include "fuzz/interruption.hpp"
#include "fuzz/target.hpp"

using namespace chordlearn;

namespace {

constexpr int kMostVariables = 8, kMostForAllGraphs = 6;
constexpr int kMostNetworks = 1 << 15;  // more than there are chordal graphs on that many variables
constexpr std::uint64_t kMostStates = 1 << 18;

// Every network, best first.
struct AllNetworks {
    AllNetworks(const Instance& instance, const Control& control) {
        for (const Ranked& ranked : solve_exhaustive(instance, kMostNetworks, control).best)
            networks.push_back({ranked.score, graph_of_cliques(instance.n, ranked.cliques)});
    }
    double best() const { return networks.empty() ? kMinusInfinity : networks.front().score; }

    std::vector<Network> networks;
};

class Case {
public:
    explicit Case(fuzz::Bytes& bytes)
        : bytes_(bytes),
          problem_(bytes, variables_of(bytes), bytes.one_in(8) ? 1e300 : 1e12),
          instance_(problem_.instance),
          rounding_(problem_.rounding()),
          threads_(bytes.between(1, 3)) {}

    void run() {
        fuzz::Interruption interruption(bytes_);
        Control& control = interruption.control;
        if (instance_.n <= kMostForAllGraphs) all_.emplace(instance_, control);
        search(control);
        Relaxation relaxation(instance_, threads_);
        const double lower = lower_bound();
        if (bytes_.flag())
            relaxation.tighten(lower, control);
        else
            relaxation.tighten_lagrangian(lower, bytes_.between(0, 6), control);
        judge(relaxation, control);
        solve(relaxation, control);
    }

private:
    static int variables_of(fuzz::Bytes& bytes) {
        if (bytes.one_in(24)) return bytes.between(kMostForAllGraphs, kMostVariables);
        return bytes.between(1, kMostForAllGraphs - 1);
    }

    bool is_network(const Network& network) const {
        const auto cliques = maximal_cliques(network.graph);
        return is_chordal(network.graph) && fuzz::holds_edges(network.graph, instance_) &&
               network.score == graph_score(network.graph, instance_.v) &&
               std::all_of(cliques.begin(), cliques.end(), [&](Set clique) { return instance_.allowed(clique); });
    }

    void search(Control& control) {
        SearchOptions options;
        options.restarts = bytes_.between(0, 6);
        options.moves = static_cast<std::uint64_t>(bytes_.between(1, 600));
        options.seed = bytes_.word(2);
        options.threads = threads_;
        options.keep = bytes_.between(0, 5);
        options.neighbourhood = bytes_.between(2, 7);
        options.patience = bytes_.between(0, 4);
        found_ = search_networks(instance_, options, control);
        EXPECT(static_cast<int>(found_.size()) <= std::max(1, options.keep));
        for (const Network& network : found_) {
            EXPECT(is_network(network));
            if (all_) EXPECT(network.score <= all_->best());
        }
    }

    // Near the best score, or where the bytes say; never more than exact engines are called with.
    double lower_bound() {
        const double best = all_ ? all_->best() : found_.empty() ? kMinusInfinity : found_.front().score;
        const double spread = 1 + 4 * rounding_;
        if (best == kMinusInfinity || bytes_.one_in(4)) return below_all();
        return best - spread * std::fabs(fuzz::number_from(bytes_, 1e6)) - 4 * rounding_ - 1e-9;
    }

    // Every variable with its worst parents.
    double below_all() const {
        double total = 0;
        for (int i = 0; i < instance_.n; ++i) {
            double least = 0;
            for (std::size_t set = 0; set < problem_.scores.size(); ++set)
                if (!(set >> i & 1) && instance_.allowed(static_cast<Set>(set | single(i))))
                    least = std::min(least, instance_.v[set | single(i)] - instance_.v[set]);
            total += least;
        }
        return total - 1;
    }

    // Whatever the relaxation says of all networks holds for each.
    void judge(const Relaxation& relaxation, const Control& control) {
        std::vector<std::pair<int, int>> pairs;
        for (int b = 1; b < instance_.n; ++b)
            for (int a = 0; a < b; ++a) pairs.emplace_back(a, b);
        const auto forced = relaxation.forced_edges(pairs, control);
        std::vector<double> without;
        for (const auto& [a, b] : pairs) without.push_back(relaxation.bound_without(a, b));
        if (!all_) return;
        for (const Network& network : all_->networks) {
            const double score = network.score;
            if (!(score > relaxation.lower())) break;
            EXPECT(score <= relaxation.bound());
            for (const Set clique : maximal_cliques(network.graph)) {
                EXPECT(relaxation.keeps(clique));
                EXPECT(score <= relaxation.bound_with(clique));
            }
            for (const auto& [a, b] : forced) EXPECT(fuzz::has_edge(network.graph, a, b));
            for (std::size_t k = 0; k < pairs.size(); ++k)
                if (!fuzz::has_edge(network.graph, pairs[k].first, pairs[k].second)) EXPECT(score <= without[k]);
        }
    }

    void solve(const Relaxation& relaxation, Control& control) {
        if (relaxation.kept() == 0) return;
        const int root = choose_root(relaxation);
        const std::uint64_t most = bytes_.one_in(8) ? bytes_.word(1) : kMostStates;
        const States states = find_states(relaxation, root, instance_.required, most, control);
        if (states.complete) {
            agree(solve_states(relaxation, states, threads_, control), relaxation);
            const BestAndSecond two = solve_states_two(relaxation, states, threads_, control);
            agree(two.best, relaxation);
            agree_on(1, two.second, relaxation);
            const int count = bytes_.between(1, 9);
            const auto top = solve_states_top(relaxation, states, count, threads_, control);
            EXPECT(static_cast<int>(top.size()) <= count);
            for (std::size_t k = 0; k < top.size(); ++k) {
                EXPECT(is_network(top[k]));
                agree_on(k, top[k].score, relaxation);
            }
            if (static_cast<int>(top.size()) < count) agree_on(top.size(), kMinusInfinity, relaxation);
        }
        if (instance_.n >= 4) {
            const DenseResult dense = solve_dense(relaxation, root, threads_, control);
            if (dense.network.score != kMinusInfinity) EXPECT(is_network(dense.network));
            EXPECT(dense.bound >= dense.network.score);
            if (!all_ || all_->best() <= relaxation.lower()) return;
            EXPECT(dense.bound + rounding_ >= all_->best());
            EXPECT(dense.network.score <= all_->best());
            EXPECT(dense.network.score + dense.rounding * 2 + rounding_ >= all_->best());
        }
    }

    void agree(const Network& network, const Relaxation& relaxation) const {
        if (network.score != kMinusInfinity) EXPECT(is_network(network));
        agree_on(0, network.score, relaxation);
    }

    // A score in the place of the k-th best network, which must be found if it is above the lower bound.
    void agree_on(std::size_t k, double score, const Relaxation& relaxation) const {
        if (!all_) return;
        const auto& networks = all_->networks;
        const double expected = k < networks.size() ? networks[k].score : kMinusInfinity;
        EXPECT(score <= expected + rounding_);
        if (expected > relaxation.lower() + rounding_) EXPECT(score + rounding_ >= expected);
    }

    fuzz::Bytes& bytes_;
    fuzz::Problem problem_;
    const Instance& instance_;
    double rounding_;
    int threads_;
    std::optional<AllNetworks> all_;
    std::vector<Network> found_;
};

void run(fuzz::Bytes& bytes) { Case(bytes).run(); }

}  // namespace

FUZZ_TARGET(run)
