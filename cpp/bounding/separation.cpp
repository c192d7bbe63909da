#include "bounding/separation.hpp"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>
#include <map>
#include <tuple>
#include <utility>

#include "common/random.hpp"

namespace chordlearn {

namespace {

constexpr double kMuchDeeper = 1.5;  // a larger C is worth a cut of its own if it is violated so many times as much
constexpr int kAttempts = 4;         // growths from each variable, all but the first at random, while nothing is found
constexpr double kNoise = 0.1;       // how far a growth at random may be from the least gain

struct Violated {
    Cut cut;
    double violation;

    double distance() const { return violation / std::sqrt(static_cast<double>(cut.among.size())); }
};

struct Order {
    bool operator()(const SmallSet& a, const SmallSet& b) const {
        return std::lexicographical_compare(a.begin(), a.end(), b.begin(), b.end());
    }
};

// Each set that is more complete than one with an element less.
void add_violated_by_parts(const Point& point, double tolerance, const Control& control, std::vector<Violated>& cuts) {
    std::map<SmallSet, double, Order> values;
    for (std::size_t k = 0; k < point.sets.size(); ++k) values[point.sets[k]] = point.values[k];
    for (const auto& [set, value] : values) {
        control.check();
        for (int i = 0; set.size > 2 && i < set.size; ++i) {
            const SmallSet part = set.without(i);
            const auto found = values.find(part);
            const double violation = value - (found == values.end() ? 0.0 : found->second);
            if (violation <= tolerance) continue;
            Cut cut{part.without(0),
                    {part.at[0], set.at[static_cast<std::size_t>(i)]},
                    set.at[static_cast<std::size_t>(i)]};
            std::sort(cut.among.begin(), cut.among.end());
            cuts.push_back({std::move(cut), violation});
        }
    }
}

// The common neighbours of a set T: what together with T is complete, and how much so.
class Link {
public:
    void add(const SmallSet& set, double value) {
        sets_.push_back(set);
        values_.push_back(value);
    }

    void prepare(const SmallSet& apart) {
        apart_ = apart;
        for (const SmallSet& set : sets_) vertices_.insert(vertices_.end(), set.begin(), set.end());
        std::sort(vertices_.begin(), vertices_.end());
        vertices_.erase(std::unique(vertices_.begin(), vertices_.end()), vertices_.end());
        single_.assign(vertices_.size(), apart_.size == 0 ? 1.0 : 0.0);
        terms_of_.assign(vertices_.size(), {});
        for (std::size_t k = 0; k < sets_.size(); ++k) {
            const SmallSet& set = sets_[k];
            if (set.size == 1) {
                single_[place_of(set.at[0])] = values_[k];
                continue;
            }
            Term term{set.size % 2 ? values_[k] : -values_[k], set.size, 0, 0, 0};
            for (const int vertex : set) {
                term.members ^= place_of(vertex);
                terms_of_[place_of(vertex)].push_back(terms_.size());
            }
            terms_.push_back(term);
        }
    }

    void grow(double tolerance, double noise, Random& random, const Control& control, std::vector<Violated>& cuts) {
        for (Place start = 0; start < vertices_.size(); ++start) {
            control.check();
            grow_from(start, tolerance, noise, random, cuts);
        }
    }

    // Joins the graph by its dearest edges first: each connected part on the way may have too many edges.
    void connect(double tolerance, const Control& control, std::vector<Violated>& cuts) {
        std::vector<std::pair<double, std::size_t>> edges;
        for (std::size_t k = 0; k < sets_.size(); ++k)
            if (sets_[k].size == 2) edges.emplace_back(-values_[k], k);
        std::sort(edges.begin(), edges.end());
        std::vector<std::vector<Place>> parts(vertices_.size());
        std::vector<std::size_t> part_of(vertices_.size());
        for (Place vertex = 0; vertex < parts.size(); ++vertex) parts[part_of[vertex] = vertex] = {vertex};
        for (const auto& [value, k] : edges) {
            control.check();
            std::size_t a = part_of[place_of(sets_[k].at[0])], b = part_of[place_of(sets_[k].at[1])];
            if (a == b) continue;
            if (parts[a].size() < parts[b].size()) std::swap(a, b);
            for (const Place vertex : parts[b]) part_of[vertex] = a;
            parts[a].insert(parts[a].end(), parts[b].begin(), parts[b].end());
            const double left = left_side(parts[a]);
            if (1 - left > tolerance) cuts.push_back(cut_of(parts[a], parts[a].size(), 1 - left));
        }
    }

private:
    using Place = std::size_t;  // of a variable

    // A set of two variables or more.
    struct Term {
        double value;  // with its sign
        int size;
        Place members;  // exclusive or of all
        int outside;    // how many members are
        Place last;     // exclusive or of those outside: the last one, when one is left
    };

    Place place_of(int vertex) const {
        return static_cast<Place>(std::lower_bound(vertices_.begin(), vertices_.end(), vertex) - vertices_.begin());
    }

    void clear() {
        for (Term& term : terms_) {
            term.outside = term.size;
            term.last = term.members;
        }
        gain_ = single_;
        state_.assign(vertices_.size(), State::apart);
    }

    // What is inside changes by a vertex, and with it what others would add to the left side.
    void enter(Place vertex) {
        state_[vertex] = State::inside;
        for (const std::size_t k : terms_of_[vertex]) {
            Term& term = terms_[k];
            term.last ^= vertex;
            if (--term.outside != 1) continue;
            gain_[term.last] += term.value;
            if (state_[term.last] == State::apart) {
                state_[term.last] = State::next;
                next_.push_back(term.last);
            }
        }
    }

    // The vertex with about the least gain.
    Place take_next(double noise, Random& random) {
        std::size_t best = 0;
        double least = std::numeric_limits<double>::infinity();
        for (std::size_t k = 0; k < next_.size(); ++k) {
            const double judged = gain_[next_[k]] + (noise > 0 ? noise * random.unit() : 0);
            if (judged >= least) continue;
            least = judged;
            best = k;
        }
        const Place vertex = next_[best];
        next_[best] = next_.back();
        next_.pop_back();
        return vertex;
    }

    void grow_from(Place start, double tolerance, double noise, Random& random, std::vector<Violated>& cuts) {
        clear();
        next_.clear();
        std::vector<Place> chosen{start};
        double left = single_[start], right = single_[start], first = 0, deepest = tolerance;
        std::size_t first_size = 0, deepest_size = 0;
        for (enter(start); !next_.empty(); enter(chosen.back())) {
            const Place vertex = take_next(noise, random);
            chosen.push_back(vertex);
            left += gain_[vertex];
            right = std::max(right, single_[vertex]);
            if (right - left <= deepest) continue;
            deepest = right - left;
            deepest_size = chosen.size();
            if (first_size == 0) {
                first = deepest;
                first_size = deepest_size;
            }
        }
        if (first_size == 0) return;
        cuts.push_back(cut_of(chosen, first_size, first));
        if (deepest > kMuchDeeper * first) cuts.push_back(cut_of(chosen, deepest_size, deepest));
    }

    double left_side(const std::vector<Place>& inside) {
        clear();
        double left = 0;
        for (const Place vertex : inside) {
            left += gain_[vertex];
            enter(vertex);
        }
        next_.clear();
        return left;
    }

    Violated cut_of(const std::vector<Place>& chosen, std::size_t size, double violation) const {
        const auto end = chosen.begin() + static_cast<std::ptrdiff_t>(size);
        Cut cut{apart_, {}, -1};
        for (auto vertex = chosen.begin(); vertex != end; ++vertex)
            cut.among.push_back(static_cast<std::uint16_t>(vertices_[*vertex]));
        std::sort(cut.among.begin(), cut.among.end());
        if (apart_.size > 0)
            cut.with = vertices_[*std::max_element(chosen.begin(), end,
                                                   [&](Place a, Place b) { return single_[a] < single_[b]; })];
        return {std::move(cut), violation};
    }

    enum class State : char { apart, next, inside };

    SmallSet apart_;
    std::vector<SmallSet> sets_;
    std::vector<double> values_;
    std::vector<int> vertices_;
    std::vector<double> single_, gain_;
    std::vector<Term> terms_;
    std::vector<std::vector<std::size_t>> terms_of_;
    std::vector<State> state_;
    std::vector<Place> next_;  // that a growth may take
};

std::map<SmallSet, Link, Order> links_of(const Point& point, const SetIndex& index, const Control& control) {
    std::map<SmallSet, Link, Order> links;
    for (std::size_t k = 0; k < point.sets.size(); ++k) {
        control.check();
        const SmallSet& set = point.sets[k];
        for (unsigned part = 0; part + 1 < 1u << set.size; ++part) {
            SmallSet inside, outside;
            for (int i = 0; i < set.size; ++i)
                (part >> i & 1 ? inside : outside).push(set.at[static_cast<std::size_t>(i)]);
            if (inside.size + 2 <= index.largest()) links[inside].add(outside, point.values[k]);
        }
    }
    return links;
}

auto key_of(const Cut& cut) { return std::tie(cut.apart.size, cut.apart.at, cut.among, cut.with); }

}  // namespace

std::vector<Cut> violated_cuts(const Point& point, const SetIndex& index, double tolerance, std::size_t most,
                               const Control& control) {
    std::vector<Violated> found;
    add_violated_by_parts(point, tolerance, control, found);
    auto links = links_of(point, index, control);
    for (auto& [apart, link] : links) {
        link.prepare(apart);
        if (apart.size == 0) link.connect(tolerance, control, found);
    }
    Random random(1);
    for (int attempt = 0; attempt < kAttempts && (attempt == 0 || found.empty()); ++attempt)
        for (auto& [apart, link] : links) link.grow(tolerance, kNoise * attempt, random, control, found);
    std::sort(found.begin(), found.end(),
              [](const Violated& a, const Violated& b) { return key_of(a.cut) < key_of(b.cut); });
    found.erase(
        std::unique(found.begin(), found.end(), [](const Violated& a, const Violated& b) { return a.cut == b.cut; }),
        found.end());
    std::stable_sort(found.begin(), found.end(),
                     [](const Violated& a, const Violated& b) { return a.distance() > b.distance(); });
    std::vector<Cut> cuts;
    for (std::size_t k = 0; k < std::min(most, found.size()); ++k) cuts.push_back(std::move(found[k].cut));
    return cuts;
}

}  // namespace chordlearn
