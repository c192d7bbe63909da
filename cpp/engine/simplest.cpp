#include "engine/simplest.hpp"

#include "engine/edge_key.hpp"
#include "engine/program.hpp"

namespace chordlearn {

namespace {

// A state is worth its simplest part among those that score about as much as the best.
struct Part {
    double most = kMinusInfinity;     // of any part, what was left out included: for bounds
    double highest = kMinusInfinity;  // of those compared at this state
    double score = kMinusInfinity;    // of this part, at least highest less Equality::part
    bool doubtful = false;            // whether a simpler one may be as good
    int edges = 0;
    EdgeKey key;
};

class SimplestPart {
public:
    using Value = Part;

    explicit SimplestPart(Equality equality) : equality_(equality) {}

    const Value& nothing() const { return nothing_; }
    const Value& start() const { return start_; }
    static bool is_nothing(const Value& value) { return value.score == kMinusInfinity; }
    static double most(const Value& value) { return value.most; }

    void improve(Value& into, const Value& value) const {
        if (is_nothing(value)) return;
        if (is_nothing(into)) {
            into = value;
            return;
        }
        const double most = std::max(into.most, value.most), highest = std::max(into.highest, value.highest);
        const bool wins = is_better(value, into, highest);
        const bool doubtful = wins ? leaves_doubt(value, into) : leaves_doubt(into, value);
        if (wins) into = value;
        into.most = most;
        into.highest = highest;
        into.doubtful = doubtful;
    }
    Value grown(const Value& value, double gain, Set c, int i) const {
        Value out = value;
        out.most += gain;
        out.score += gain;
        out.highest = out.score;
        out.edges += size(c);
        for_each(c, [&](int j) { out.key.add(i, j); });
        return out;
    }
    Value joined(const Value& one, const Value& other) const {
        if (is_nothing(one) || is_nothing(other)) return nothing_;
        Value out = one;
        out.most += other.most;
        out.score += other.score;
        out.highest = out.score;
        out.doubtful |= other.doubtful;
        out.edges += other.edges;
        out.key |= other.key;
        return out;
    }
    // Nothing only where the other wins and settles every doubt that the value could raise.
    Value without(const Value& value, const Value& other) const {
        if (is_nothing(value) || is_nothing(other)) return value;
        const bool wins = is_better(value, other, std::max(value.highest, other.highest));
        return wins || leaves_doubt(other, value) > other.doubtful ? value : nothing_;
    }

private:
    static bool is_simpler(const Value& one, const Value& other) {
        return one.edges != other.edges ? one.edges < other.edges : one.key > other.key;
    }
    // Of two parts the one that is to stay; at least one of them scores about the highest.
    bool is_better(const Value& one, const Value& other, double highest) const {
        const double enough = highest - equality_.part;
        if (one.score < enough || other.score < enough) return one.score > other.score;
        return is_simpler(one, other);
    }
    // Whether it is open that the winner is the simplest, now that the loser is left out.
    bool leaves_doubt(const Value& winner, const Value& loser) const {
        if (winner.doubtful) return true;
        return loser.score >= winner.score - equality_.near && (loser.doubtful || is_simpler(loser, winner));
    }

    Equality equality_;
    Value nothing_;
    Value start_{0, 0, 0, false, 0, {}};
};

}  // namespace

Simplest solve_states_simplest(const Relaxation& relaxation, const States& states, Equality equality, int threads,
                               Control& control) {
    const Instance& instance = relaxation.instance();
    Program<SimplestPart> program(relaxation, states, SimplestPart(equality), threads, control);
    const Part found = program.run();
    if (SimplestPart::is_nothing(found)) return {};
    Network network{0, found.key.graph(instance.n)};
    network.score = graph_score(network.graph, instance.v);
    return {std::move(network), !found.doubtful};
}

}  // namespace chordlearn
