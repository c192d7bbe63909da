#include "bounding/cuts.hpp"

#include <algorithm>
#include <map>
#include <tuple>
#include <utility>

#include "common/random.hpp"

namespace chordlearn {

namespace {

constexpr int kLargestCut = 24;  // variables in C
constexpr int kAttempts = 3;     // growths from each variable

// The sets that complete a set T: T together with each has the value.
struct Link {
    std::vector<std::pair<SmallSet, double>> sets;
};

struct Order {
    bool operator()(const SmallSet& a, const SmallSet& b) const {
        return std::lexicographical_compare(a.begin(), a.end(), b.begin(), b.end());
    }
};

// Every T with what completes it.
std::map<SmallSet, Link, Order> links_of(const Point& point, const SetIndex& index, const Control& control) {
    std::map<SmallSet, Link, Order> links;
    for (std::size_t k = 0; k < point.sets.size(); ++k) {
        control.check();
        const SmallSet& set = point.sets[k];
        for (unsigned part = 0; part + 1 < 1u << set.size; ++part) {
            SmallSet inside, outside;
            for (int i = 0; i < set.size; ++i)
                (part >> i & 1 ? inside : outside).push(set.at[static_cast<std::size_t>(i)]);
            if (inside.size + 2 <= index.largest()) links[inside].sets.emplace_back(outside, point.values[k]);
        }
    }
    return links;
}

// Each set that is more complete than one with an element less.
std::vector<Cut> violated_by_parts(const Point& point, double tolerance, const Control& control) {
    std::map<SmallSet, double, Order> values;
    for (std::size_t k = 0; k < point.sets.size(); ++k) values[point.sets[k]] = point.values[k];
    std::vector<Cut> cuts;
    for (const auto& [set, value] : values) {
        control.check();
        for (int i = 0; set.size > 2 && i < set.size; ++i) {
            const SmallSet part = set.without(i);
            const auto found = values.find(part);
            if (value <= (found == values.end() ? 0.0 : found->second) + tolerance) continue;
            Cut cut{part.without(0),
                    {part.at[0], set.at[static_cast<std::size_t>(i)]},
                    set.at[static_cast<std::size_t>(i)]};
            std::sort(cut.among.begin(), cut.among.end());
            cuts.push_back(std::move(cut));
        }
    }
    return cuts;
}

// Grows sets C whose left side falls below the value of some T + j.
class Growth {
public:
    Growth(int n, double tolerance, std::uint64_t seed, const Control& control)
        : tolerance_(tolerance), random_(seed), control_(control), place_(static_cast<std::size_t>(n), -1) {}

    void run(const SmallSet& apart, const Link& link, std::vector<Cut>& cuts) {
        prepare(apart, link);
        for (std::size_t start = 0; start < vertices_.size(); ++start)
            for (int attempt = 0; attempt < kAttempts; ++attempt)
                if (!neighbours_[start].empty()) grow(apart, start, attempt, cuts);
        for (const int vertex : vertices_) place_[static_cast<std::size_t>(vertex)] = -1;
    }

private:
    struct Term {
        std::vector<int> others;  // beside the vertex itself, by place
        double value;             // with its sign
    };

    void prepare(const SmallSet& apart, const Link& link) {
        vertices_.clear();
        const auto add = [&](int vertex) {
            if (place_[static_cast<std::size_t>(vertex)] >= 0) return;
            place_[static_cast<std::size_t>(vertex)] = static_cast<int>(vertices_.size());
            vertices_.push_back(vertex);
        };
        for (const auto& [set, value] : link.sets)
            for (const int vertex : set) add(vertex);
        const std::size_t count = vertices_.size();
        single_.assign(count, apart.size == 0 ? 1.0 : 0.0);
        terms_.assign(count, {});
        neighbours_.assign(count, {});
        for (const auto& [set, value] : link.sets) {
            if (set.size == 1) {
                single_[static_cast<std::size_t>(place_[set.at[0]])] = value;
                continue;
            }
            const double sign = set.size % 2 ? value : -value;
            for (int i = 0; i < set.size; ++i) {
                Term term{{}, sign};
                const auto own = static_cast<std::size_t>(place_[set.at[static_cast<std::size_t>(i)]]);
                for (int j = 0; j < set.size; ++j)
                    if (j != i) term.others.push_back(place_[set.at[static_cast<std::size_t>(j)]]);
                if (set.size == 2) neighbours_[own].push_back(term.others[0]);
                terms_[own].push_back(std::move(term));
            }
        }
    }

    // What adding a vertex adds to the left side.
    double added(std::size_t vertex) const {
        double sum = single_[vertex];
        for (const Term& term : terms_[vertex])
            if (std::all_of(term.others.begin(), term.others.end(),
                            [&](int other) { return inside_[static_cast<std::size_t>(other)]; }))
                sum += term.value;
        return sum;
    }

    void grow(const SmallSet& apart, std::size_t start, int attempt, std::vector<Cut>& cuts) {
        inside_.assign(vertices_.size(), false);
        std::vector<std::size_t> chosen{start}, frontier;
        std::vector<bool> seen(vertices_.size(), false);
        const auto enter = [&](std::size_t vertex) {
            inside_[vertex] = seen[vertex] = true;
            for (const int next : neighbours_[vertex])
                if (!seen[static_cast<std::size_t>(next)]) {
                    seen[static_cast<std::size_t>(next)] = true;
                    frontier.push_back(static_cast<std::size_t>(next));
                }
        };
        double left = single_[start];
        enter(start);
        while (!frontier.empty() && chosen.size() < kLargestCut) {
            control_.check();
            std::size_t best = 0;
            double lowest = 1e300, gain = 0;
            for (std::size_t k = 0; k < frontier.size(); ++k) {
                const double change = added(frontier[k]);
                const double judged = attempt ? change + 0.1 * attempt * random_.unit() : change;
                if (judged < lowest) {
                    lowest = judged;
                    gain = change;
                    best = k;
                }
            }
            const std::size_t vertex = frontier[best];
            frontier[best] = frontier.back();
            frontier.pop_back();
            chosen.push_back(vertex);
            enter(vertex);
            left += gain;
            const std::size_t largest = *std::max_element(
                chosen.begin(), chosen.end(), [&](std::size_t a, std::size_t b) { return single_[a] < single_[b]; });
            if (left < single_[largest] - tolerance_) {
                Cut cut{apart, {}, apart.size ? vertices_[largest] : -1};
                for (const std::size_t place : chosen)
                    cut.among.push_back(static_cast<std::uint16_t>(vertices_[place]));
                std::sort(cut.among.begin(), cut.among.end());
                cuts.push_back(std::move(cut));
                return;
            }
        }
    }

    double tolerance_;
    Random random_;
    const Control& control_;
    std::vector<int> place_, vertices_;
    std::vector<double> single_;
    std::vector<std::vector<Term>> terms_;
    std::vector<std::vector<int>> neighbours_;
    std::vector<bool> inside_;
};

}  // namespace

int constant_of(const Cut& cut) {
    if (cut.is_edge) return -1;
    return cut.apart.size ? 0 : static_cast<int>(cut.among.size()) - 1;
}

int coefficient_of(const Cut& cut, const SmallSet& set) {
    if (set.size < 2) return 0;
    int apart = 0, rest = 0, last = -1;
    for (const int variable : set) {
        if (apart < cut.apart.size && cut.apart.at[static_cast<std::size_t>(apart)] == variable) {
            ++apart;
        } else if (std::binary_search(cut.among.begin(), cut.among.end(), variable)) {
            ++rest;
            last = variable;
        } else {
            return 0;
        }
    }
    if (apart < cut.apart.size || rest == 0) return 0;
    if (cut.is_edge) return 1;
    if (rest == 1 && last == cut.with) return 0;  // it stands on both sides
    return rest % 2 ? 1 : -1;
}

int family_coefficient_of(const Cut& cut, const SmallSet& family, int child) {
    int apart = 0;
    bool meets = false, child_among = false, child_apart = false, holds_with = false;
    for (const int variable : family) {
        const bool is_child = variable == child;
        if (apart < cut.apart.size && cut.apart.at[static_cast<std::size_t>(apart)] == variable) {
            ++apart;
            child_apart |= is_child;
        } else if (std::binary_search(cut.among.begin(), cut.among.end(), variable)) {
            (is_child ? child_among : meets) = true;
            holds_with |= variable == cut.with;
        }
    }
    if (apart < cut.apart.size) return 0;
    if (cut.is_edge) return child_among && meets;
    // A child in C is the first of its component, or none; a child in T brings the component of the others.
    if (cut.apart.size == 0) return child_among && meets ? -1 : 0;
    const int left = child_among ? !meets : child_apart && meets;
    return left - (holds_with && (child_apart || child == cut.with));
}

std::vector<Cut> violated_cuts(const Point& point, const SetIndex& index, double tolerance, std::uint64_t seed,
                               const Control& control) {
    std::vector<Cut> cuts = violated_by_parts(point, tolerance, control);
    Growth growth(index.n(), tolerance, seed, control);
    for (const auto& [apart, link] : links_of(point, index, control)) growth.run(apart, link, cuts);
    const auto key = [](const Cut& cut) { return std::tie(cut.apart.size, cut.apart.at, cut.among, cut.with); };
    std::sort(cuts.begin(), cuts.end(), [&](const Cut& a, const Cut& b) { return key(a) < key(b); });
    cuts.erase(std::unique(cuts.begin(), cuts.end()), cuts.end());
    return cuts;
}

}  // namespace chordlearn
