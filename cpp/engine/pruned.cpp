#include "engine/pruned.hpp"

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

using BestProgram = Program<BestScore>;

void trace_subtree(const BestProgram& program, Set c, Set u, Graph& graph);

void trace_any(const BestProgram& program, Set c, Set u, Graph& graph) {
    while (u) {
        Set part = u;
        double best = program.subtree_of(c, u);
        program.visit_splits(c, u, [&](Set one, double x, double y) {
            if (x + y > best) best = x + y, part = one;
        });
        trace_subtree(program, c, part, graph);
        u &= ~part;
    }
}

void trace_subtree(const BestProgram& program, Set c, Set u, Graph& graph) {
    double best = kMinusInfinity;
    Set next = 0;
    program.visit_subtrees(c, u, [&](Set set, double value) {
        if (value > best) best = value, next = set;
    });
    if (size(next) < size(c)) return trace_subtree(program, next, u, graph);
    const Set added = next & ~c;
    graph[lowest(added)] |= c;
    for_each(c, [&](int j) { graph[j] |= added; });
    trace_any(program, next, u & ~added, graph);
}

}  // namespace

Network solve_states(const Relaxation& relaxation, States states, int threads, Control& control) {
    BestProgram program(relaxation, std::move(states), BestScore{}, threads, control);
    Network best;
    if (BestScore::is_nothing(program.run())) return best;
    best.graph.assign(relaxation.instance().n, 0);
    trace_any(program, program.root(), program.others(), best.graph);
    best.score = graph_score(best.graph, relaxation.instance().v);
    return best;
}

std::uint64_t bytes_for_states(std::uint64_t states) { return states * 48; }

}  // namespace chordlearn
