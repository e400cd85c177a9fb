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

/// A value that is row major as input or output of the launch. The operators with windows that read
/// or write it need it channel first.
struct Turn {
    graph::TensorIndex value = 0;
    bool is_given = false;
    /// Additional time of its load or store if each element is a separate piece.
    models::Picoseconds by_pieces;
    /// Time of a separate reorder step. The value's own load or store then needs no additional
    /// time.
    models::Picoseconds by_step;

    models::Picoseconds least() const { return std::min(by_pieces, by_step); }
};

/// Lower bound of the GDMA time for changes of order. A launch's inputs and outputs are row major,
/// and operators with windows use channel-first feature maps. Element-wise operators work in
/// whichever order takes less time.
class OrderNeeds {
 public:
    /// Upper limit of operators for which copies are planned, since planning takes time. In larger
    /// graphs a copy only counts its bytes.
    static constexpr std::size_t kMostPlanned = 64;

    /// `parts` are the needed parts of the values. All arguments must outlive the object.
    OrderNeeds(const BoundScope& scope, const std::map<graph::TensorIndex, NeededPart>& parts,
               pricing::MachineHost& host);

    /// Values that operators with windows take from the launch's inputs or give to its outputs.
    const std::vector<Turn>& turns() const { return turns_; }
    /// Returns the time of all other changes of order. They occur between element-wise operators,
    /// operators with windows, inputs and outputs.
    models::Picoseconds of_others() const;
    /// Element-wise operators whose order matters.
    const std::vector<std::uint32_t>& operators() const { return operators_; }
    /// Returns the same time for a given choice: operators whose bit is set work channel first,
    /// others row major.
    models::Picoseconds of_others(std::uint32_t by_channel) const {
        return of_region(operators_, by_channel);
    }

 private:
    /// The operators that write and read a value, as positions in the block.
    struct Uses {
        bool is_made_by_channel = false;
        bool is_read_by_channel = false;
        std::vector<std::uint32_t> makers;   ///< element-wise; at most one
        std::vector<std::uint32_t> readers;  ///< element-wise
        bool is_made = false;                ///< written in the scope
        NeededPart by_channel;               ///< read by operators with windows
    };
    using Region = std::vector<std::uint32_t>;  ///< element-wise operators

    NeededPart part_of(graph::TensorIndex value) const;
    void add_uses(std::uint32_t index);
    std::vector<Region> regions() const;
    /// `by_channel` has one bit per operator of the region.
    models::Picoseconds of_region(const Region& region, std::uint32_t by_channel) const;
    models::Picoseconds of_value(graph::TensorIndex value, const Region& region,
                                 std::uint32_t by_channel) const;
    /// Returns both ways to reorder the value.
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
    std::map<graph::TensorIndex, Uses> uses_;  ///< values whose order matters
    std::set<graph::TensorIndex> wanted_;
};

}  // namespace okksim::sim::bound
