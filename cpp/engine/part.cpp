#include "engine/part.hpp"

#include <cmath>

#include "engine/pruned.hpp"

namespace chordlearn {

namespace {

constexpr std::uint64_t kMostStates = 300'000;

}  // namespace

std::optional<Network> improve_part(const Instance& part, double score, Control& control) {
    Relaxation relaxation(part, 1);
    // What is better by no more than rounding may feign is not better.
    relaxation.tighten(score + 1e-9 * (1 + std::abs(score)), control);
    if (relaxation.kept() == 0) return std::nullopt;
    const States states = find_states(relaxation, choose_root(relaxation), part.required, kMostStates, control);
    if (!states.complete) return std::nullopt;
    Network better = solve_states(relaxation, states, 1, control);
    if (!(better.score > score)) return std::nullopt;
    return better;
}

void require_complete(Instance& part, Set set) {
    for_each(set, [&](int i) { part.required[i] |= set & ~single(i); });
}

}  // namespace chordlearn
