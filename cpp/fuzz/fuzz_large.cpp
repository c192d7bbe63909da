#include <algorithm>
#include <cmath>

#include "common/parallel.hpp"
#include "fuzz/inputs.hpp"
#include "fuzz/interruption.hpp"
#include "fuzz/target.hpp"
#include "large/wide_search.hpp"

using namespace chordlearn;

namespace {

constexpr std::uint64_t kMostMoves = 300;

class Case {
public:
    explicit Case(fuzz::Bytes& bytes)
        : bytes_(bytes), table_(table_of(bytes)), score_(fuzz::options_from(bytes)), threads_(bytes.between(1, 4)) {
        options_.max_clique = bytes.one_in(2) ? bytes.between(1, 6) : 0;
        if (bytes.one_in(3)) options_.required = fuzz::edges_from(bytes, table_.variables(), 6);
        if (bytes.one_in(3)) options_.forbidden = fuzz::edges_from(bytes, table_.variables(), 6);
        options_.seed = bytes.word(2);
    }

    void run() {
        WideSearch search(table_, score_, options_);
        if (!search.feasible()) {
            EXPECT(search.exact_score() == kNoScore);
            return;
        }
        fuzz::Interruption interruption(bytes_);
        const TermStore store(score_, table_.rows);
        if (bytes_.flag())
            search.start(threads_, interruption.control);
        else if (!search.start_from(fuzz::edges_from(bytes_, table_.variables(), 20)))
            return;
        inspect(search);
        for (int waves = bytes_.between(0, 4); waves > 0; --waves) {
            if (bytes_.one_in(4)) skip_parts(search);
            resume(search);
            const auto tasks = search.propose();
            std::vector<std::optional<RegionChange>> changes(tasks.size());
            parallel_for(tasks.size(), threads_, [&](std::size_t k) {
                RegionTask task = tasks[k];
                task.annealing.moves = std::min(task.annealing.moves, kMostMoves);
                changes[k] = improve_region(table_, store, task, interruption.control);
            });
            search.accept(changes);
            inspect(search);
        }
        disturb(search);
    }

private:
    // Mostly few variables, which are quick; rarely more than a region can hold.
    static CodedTable table_of(fuzz::Bytes& bytes) {
        switch (bytes.between(0, 31)) {
            case 30: return fuzz::table_from(bytes, 60, 140);
            case 31: return fuzz::table_from(bytes, 10, 16);
            default: return fuzz::table_from(bytes, 1, 8);
        }
    }

    // A network that the constraints allow, whose score is what it adds up to.
    void inspect(const WideSearch& search) const {
        const WideGraph graph = graph_of(table_.variables(), search.edges());
        EXPECT(is_chordal(graph));
        for (const auto& [a, b] : options_.required) EXPECT(graph.adjacent(a, b));
        for (const auto& [a, b] : options_.forbidden) EXPECT(!graph.adjacent(a, b));
        if (options_.max_clique)
            for (const auto& node : junction_forest(graph).nodes)
                EXPECT(static_cast<int>(node.clique.size()) <= options_.max_clique);
        const double exact = search.exact_score();
        EXPECT(std::isnan(exact) || std::fabs(search.score() - exact) <= 1e-6 * (1 + magnitude(graph)));
    }

    // Of the scores that the network's is made of.
    double magnitude(const WideGraph& graph) const {
        SetScorer scorer(table_, score_);
        double sum = 0;
        for (const auto& node : junction_forest(graph).nodes)
            sum += std::fabs(scorer.score(node.clique)) + std::fabs(scorer.score(node.separator));
        return sum;
    }

    // To annealing, as if no part had anything to gain.
    void skip_parts(WideSearch& search) const {
        WideState state = search.state();
        if (!std::isfinite(state.score) || state.ended) return;
        state.part_size = 0;
        search.restore(state);
    }

    // Another search that begins from the state proposes the same.
    void resume(const WideSearch& search) const {
        const WideState state = search.state();
        if (std::fabs(search.exact_score() - state.score) > 1e-9 * (1 + std::fabs(state.score))) return;
        WideSearch again(table_, score_, options_), once_more(table_, score_, options_);
        again.restore(state);
        once_more.restore(again.state());
        const auto one = again.propose(), other = once_more.propose();
        EXPECT(one.size() == other.size());
        for (std::size_t k = 0; k < one.size(); ++k) {
            EXPECT(one[k].variables == other[k].variables && one[k].present == other[k].present);
            EXPECT(one[k].seed == other[k].seed && one[k].annealing.moves == other[k].annealing.moves);
        }
        EXPECT(again.edges() == search.edges());
    }

    // A damaged state is refused, or is one that a search can go on from.
    void disturb(WideSearch& search) {
        WideState state = search.state();
        switch (bytes_.byte() % 7) {
            case 0: state.edges = fuzz::edges_from(bytes_, table_.variables() + 1, 9); break;
            case 1: state.score = fuzz::number_from(bytes_, 1e300); break;
            case 2: state.typical_gain = fuzz::number_from(bytes_, 1e300); break;
            case 3: state.part_size = bytes_.between(-3, 20); break;
            case 4: state.failures = static_cast<int>(bytes_.word(4)); break;
            case 5: state.level = bytes_.between(-3, 9); break;
            default: state.solved.assign(3, bytes_.word(8)); break;
        }
        search.restore(state);
        const auto tasks = search.propose();
        search.accept(std::vector<std::optional<RegionChange>>(tasks.size()));
    }

    fuzz::Bytes& bytes_;
    CodedTable table_;
    ScoreOptions score_;
    int threads_;
    WideOptions options_;
};

void run(fuzz::Bytes& bytes) { Case(bytes).run(); }

}  // namespace

FUZZ_TARGET(run)
