#pragma once

#include <cstddef>
#include <cstdint>
#include <limits>
#include <optional>
#include <utility>
#include <vector>

#include "bounding/core_families.hpp"
#include "bounding/priced_sets.hpp"
#include "bounding/separation.hpp"
#include "common/control.hpp"
#include "common/random.hpp"

namespace chordlearn {

// Multipliers of cuts that make the bound of PricedSets small, without a linear program.
//
// The program behind the bound: each variable spreads at most 1 over its families, to be worth as much as possible
// while no cut is violated. This is the method of multipliers on it. With given multipliers, the centre, and a price
// for violation that grows with its square, nothing ties the variables together any more: each in turn moves weight to
// its best family at current prices (Frank and Wolfe, block by block) and among the families it has. Then the centre
// moves to the multipliers that the violations stand for.
//
// Families far from best are left out, the rest is the core: only prices over all sets are a bound.
class DualAscent {
public:
    using Multipliers = std::vector<std::pair<std::size_t, double>>;  // by the place of the cut

    // The cuts given stay, others come and go. Calls of the sets and these must not overlap.
    DualAscent(const PricedSets& sets, std::vector<std::size_t> cuts);

    // Goes on from the last prices of the sets, which are those of `multipliers`, to undercut `lower`.
    void renew(double bound, double lower, const Control& control);

    // Makes the multipliers better and looks for cuts, which get their places in `sets`. Whether it is time to price
    // all sets again.
    bool work(PricedSets& sets, const Control& control);

    // The best since the last renewal.
    const Multipliers& multipliers() const { return best_; }

    // How complete each set is.
    Point point() const;

private:
    using Place = CoreFamilies::Place;
    using Coefficients = std::vector<std::pair<std::uint32_t, double>>;  // by row

    struct Row {
        std::size_t cut;
        bool stays;
        int idle = 0;  // rounds without a say
        std::vector<CoreFamilies::Term> terms;
    };
    // Of a family, or of no family, in what a variable is spread over.
    struct Share {
        std::size_t number;  // of the set; 0 for no family
        Place family;
        double weight;
        double amount;
        double worth;
        Coefficients column;
    };

    void renew_core(double slack, const Control& control);
    Share share_of(Place family) const;
    void add_row(std::size_t cut, bool stays);
    void renew_matrix(const Control& control);
    Coefficients column_of(Place family);
    void set_slack(std::size_t row, double slack);

    void pull_prices(std::size_t child);
    double worth_of(Place family) const;
    Place best_family(std::size_t child) const;
    double visit(std::size_t child, double least_gain);
    void move_weight(Share& from, Share& to);
    double best_step(double gain, double most) const;
    void pass(const Control& control);
    void move_centre(const Control& control);
    void separate(PricedSets& sets, const Control& control);
    void drop_idle_rows();

    const PricedSets* sets_;
    std::optional<CoreFamilies> core_;
    Random random_{1};
    double lower_ = 0;
    double step_ = std::numeric_limits<double>::infinity();  // by how much a violation of 1 raises a multiplier
    double tolerance_;
    int poor_rounds_ = 0;
    double mean_gain_ = 0;  // of a visit in the last pass

    std::vector<std::vector<Share>> shares_;  // of each variable; the first is no family
    std::vector<std::size_t> order_;          // of visits
    std::vector<Row> rows_;
    std::vector<double> constants_, centre_, slacks_;  // by row
    std::vector<double> signed_;                       // of each row the multiplier and less the multiplier
    std::vector<std::size_t> first_entry_;             // by set of the core
    std::vector<std::uint32_t> entries_;               // places in `signed_`
    std::vector<double> prices_;                       // by set of the core
    std::vector<double> direction_;                    // by row, 0 between uses
    std::vector<std::uint32_t> touched_;

    double best_bound_ = std::numeric_limits<double>::infinity();  // of the core
    Multipliers best_;
    std::uint64_t steps_ = 0, next_check_ = 0;
};

}  // namespace chordlearn
