// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <map>
#include <set>
#include <utility>
#include <vector>

#include "sim/bound/engine_need.h"
#include "sim/bound/operator_need.h"
#include "sim/bound/reorder_need.h"
#include "sim/bound/scope.h"

namespace okksim::sim::bound {

/// A value that is given or wanted row major, while operators with windows take it or give it
/// channel by channel.
struct Turn {
    graph::TensorIndex value = 0;
    bool is_given = false;
    /// Beside all else of its load or store, whose elements then are pieces of their own.
    models::Picoseconds by_pieces;
    /// A step of its own, before which or behind which the value is loaded or stored as it is.
    models::Picoseconds by_step;

    models::Picoseconds least() const { return std::min(by_pieces, by_step); }
};

/// What it takes of the data mover that a graph's inputs and outputs are row major, while operators
/// with windows take and give maps channel by channel. Element-wise operators work in either order:
/// in whichever takes least.
class OrderNeeds {
 public:
    /// Planners of moves take their time: beyond so many operators a copy's bytes count alone.
    static constexpr std::size_t kMostPlanned = 64;

    /// `parts`: what of the values is needed. All must outlive it.
    OrderNeeds(const BoundScope& scope, const std::map<graph::TensorIndex, NeededPart>& parts,
               pricing::MachineHost& host);

    /// Values that are given to operators with windows, or wanted of them.
    const std::vector<Turn>& turns() const { return turns_; }
    /// What all others take together: where element-wise operators meet each other, those with
    /// windows, and what is given and wanted.
    models::Picoseconds of_others() const;
    /// Element-wise operators whose order matters.
    const std::vector<std::uint32_t>& operators() const { return operators_; }
    /// The same where those of them whose bit is set work channel by channel, the others row major.
    models::Picoseconds of_others(std::uint32_t by_channel) const {
        return of_region(operators_, by_channel);
    }

 private:
    /// Who makes and reads a value; operators as positions in the block.
    struct Uses {
        bool is_made_by_channel = false;
        bool is_read_by_channel = false;
        std::vector<std::uint32_t> makers;   ///< element-wise: one or none
        std::vector<std::uint32_t> readers;  ///< element-wise
        bool is_made = false;                ///< in the scope
        NeededPart by_channel;               ///< what operators with windows read of it
    };
    using Region = std::vector<std::uint32_t>;  ///< element-wise operators

    NeededPart part_of(graph::TensorIndex value) const;
    void add_uses(std::uint32_t index);
    std::vector<Region> regions() const;
    /// `by_channel`: a bit for every operator of the region.
    models::Picoseconds of_region(const Region& region, std::uint32_t by_channel) const;
    models::Picoseconds of_value(graph::TensorIndex value, const Region& region,
                                 std::uint32_t by_channel) const;
    /// One way or the other.
    Turn turn(graph::TensorIndex value, bool is_given, const NeededPart& part) const;
    models::Picoseconds by_step(const graph::TensorShape& shape, Reorder reorder) const;
    models::Picoseconds load(graph::TensorIndex value) const;
    models::Picoseconds store(graph::TensorIndex value) const;

    const BoundScope& scope_;
    const std::map<graph::TensorIndex, NeededPart>& parts_;
    pricing::MachineHost& host_;
    EngineTimes times_;
    std::vector<Turn> turns_;
    mutable std::map<std::pair<std::vector<std::int64_t>, Reorder>, models::Picoseconds> steps_;
    std::vector<std::uint32_t> operators_;
    std::map<graph::TensorIndex, Uses> uses_;  ///< of maps whose order matters
    std::set<graph::TensorIndex> wanted_;
};

}  // namespace okksim::sim::bound
