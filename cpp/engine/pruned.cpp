#include "engine/pruned.hpp"

#include "engine/best_two.hpp"
#include "engine/program.hpp"

namespace chordlearn {

namespace {

// A state is worth the best score that hanging U below C adds.
class BestScore {
public:
    using Value = double;

    const Value& nothing() const { return nothing_; }
    const Value& start() const { return start_; }
    static bool is_nothing(Value value) { return value == kMinusInfinity; }
    static double most(Value value) { return value; }
    void improve(Value& into, Value value) const { into = std::max(into, value); }
    Value grown(Value value, double gain, Set, int) const { return gain + value; }
    Value joined(Value one, Value other) const { return one + other; }
    Value without(Value value, Value other) const { return value > other ? value : kMinusInfinity; }

private:
    Value nothing_ = kMinusInfinity, start_ = 0;
};

template <class Algebra>
void trace_subtree(const Program<Algebra>& program, Set c, Set u, Graph& graph);

template <class Algebra>
void trace_any(const Program<Algebra>& program, Set c, Set u, Graph& graph) {
    while (u) {
        Set part = u;
        double best = Algebra::most(program.subtree_of(c, u));
        program.visit_splits(c, u, [&](Set one, const auto& x, const auto& y) {
            const double sum = Algebra::most(x) + Algebra::most(y);
            if (sum > best) best = sum, part = one;
        });
        trace_subtree(program, c, part, graph);
        u &= ~part;
    }
}

template <class Algebra>
void trace_subtree(const Program<Algebra>& program, Set c, Set u, Graph& graph) {
    double best = kMinusInfinity;
    Set next = 0;
    program.visit_subtrees(c, u, [&](Set set, const auto& value) {
        if (Algebra::most(value) > best) best = Algebra::most(value), next = set;
    });
    if (size(next) < size(c)) return trace_subtree(program, next, u, graph);
    const Set added = next & ~c;
    graph[lowest(added)] |= c;
    for_each(c, [&](int j) { graph[j] |= added; });
    trace_any(program, next, u & ~added, graph);
}

template <class Algebra>
Network read_off(const Program<Algebra>& program, const Instance& instance) {
    Network best{0, Graph(instance.n, 0)};
    trace_any(program, program.root(), program.others(), best.graph);
    best.score = graph_score(best.graph, instance.v);
    return best;
}

}  // namespace

Network solve_states(const Relaxation& relaxation, const States& states, int threads, Control& control) {
    Program<BestScore> program(relaxation, states, BestScore{}, threads, control);
    if (BestScore::is_nothing(program.run())) return {};
    return read_off(program, relaxation.instance());
}

BestAndSecond solve_states_two(const Relaxation& relaxation, const States& states, int threads, Control& control) {
    const Instance& instance = relaxation.instance();
    Program<BestTwo> program(relaxation, states, BestTwo(instance.n), threads, control);
    const BestTwo::Value found = program.run();
    if (BestTwo::is_nothing(found)) return {};
    const Network best = read_off(program, instance);
    return {best, best.score - (found[0].score - found[1].score)};
}

std::uint64_t bytes_for_states(std::uint64_t states) { return states * 48; }

}  // namespace chordlearn
