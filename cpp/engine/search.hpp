#pragma once

#include <cstdint>
#include <vector>

#include "common/control.hpp"
#include "engine/chordal.hpp"

namespace chordlearn {

struct SearchOptions {
    int restarts = 8;
    std::uint64_t moves = 400'000;  // proposals per restart
    std::uint64_t seed = 0;
    int threads = 1;
    int keep = 1;            // how many distinct networks to return
    int neighbourhood = 12;  // variables that are solved exactly at a time
    int patience = 12;       // parts in a row without gain before a round ends
};

// Simulated annealing over chordal graphs by single edges, with restarts of which each starts either from the
// empty graph or from the best network so far. The networks found, best first; empty if the constraints let
// none through. The outcome depends on the seed, never on the number of threads or on time, unless stopped.
std::vector<Network> search_networks(const Instance& instance, const SearchOptions& options, Control& control,
                                     const std::vector<Network>& starts = {});

}  // namespace chordlearn
