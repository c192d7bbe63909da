#include "engine/top.hpp"

#include "engine/edge_key.hpp"
#include "engine/program.hpp"

namespace chordlearn {

namespace {

// A part of a network: the edges with an end in U, and what they add to the score.
struct Part {
    double score;
    EdgeKey edges;
};

// A state is worth its best parts, each once. The same part is reached in many ways; the edges tell.
class BestParts {
public:
    using Value = std::vector<Part>;

    explicit BestParts(int count) : count_(count), start_{Part{0, {}}} {}

    const Value& nothing() const { return nothing_; }
    const Value& start() const { return start_; }
    static bool is_nothing(const Value& value) { return value.empty(); }
    static double most(const Value& value) { return value.front().score; }

    void improve(Value& into, const Value& value) const {
        for (const Part& part : value) {
            if (full(into) && part.score <= into.back().score) return;
            insert(into, part);
        }
    }
    Value grown(const Value& value, double gain, Set c, int i) const {
        Value out = value;
        for (Part& part : out) {
            part.score += gain;
            for_each(c, [&](int j) { part.edges.add(i, j); });
        }
        return out;
    }
    Value joined(const Value& one, const Value& other) const {
        Value out;
        for (const Part& x : one)
            for (const Part& y : other) {
                if (full(out) && x.score + y.score <= out.back().score) break;
                Part both{x.score + y.score, x.edges};
                both.edges |= y.edges;
                insert(out, both);
            }
        return out;
    }
    Value without(const Value& value, const Value& other) const {
        Value out;
        for (const Part& part : value)
            if (std::none_of(other.begin(), other.end(), [&](const Part& o) { return o.edges == part.edges; }))
                out.push_back(part);
        return out;
    }

private:
    bool full(const Value& value) const { return static_cast<int>(value.size()) >= count_; }

    void insert(Value& into, const Part& part) const {
        for (const Part& other : into)
            if (other.edges == part.edges) return;
        const auto place = std::upper_bound(into.begin(), into.end(), part.score,
                                            [](double score, const Part& other) { return score > other.score; });
        into.insert(place, part);
        if (static_cast<int>(into.size()) > count_) into.pop_back();
    }

    int count_;
    Value nothing_, start_;
};

}  // namespace

std::vector<Network> solve_states_top(const Relaxation& relaxation, const States& states, int count, int threads,
                                      Control& control) {
    const int n = relaxation.instance().n;
    Program<BestParts> program(relaxation, states, BestParts(count), threads, control);
    std::vector<Network> networks;
    for (const Part& part : program.run()) {
        Network network{0, part.edges.graph(n)};
        network.score = graph_score(network.graph, relaxation.instance().v);
        networks.push_back(std::move(network));
    }
    std::stable_sort(networks.begin(), networks.end(),
                     [](const Network& x, const Network& y) { return x.score > y.score; });
    return networks;
}

std::uint64_t bytes_for_states_top(std::uint64_t states, int count) {
    return states * (80 + 3 * sizeof(Part) * static_cast<std::uint64_t>(count));
}

}  // namespace chordlearn
