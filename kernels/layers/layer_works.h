// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <vector>

#include "kernels/layers/layer_plan.h"

namespace okksim::kernels::layers {

/// Where a piece of weights may lie: products are slower with their weights in banks of their maps.
enum class WeightBanks : std::uint8_t {
    kApart,     ///< in banks of their own where there is room, however late that is
    kCheapest,  ///< where work and what waits for the load take least together
    kEarliest   ///< where they can be loaded first
};

/// Whether sections are put together where engines wait less so.
enum class SectionMerge : std::uint8_t {
    kNone,
    kWhereFree,  ///< where neither wants the other's places
    kWithRoom    ///< maps that move keep their places as long as sections beside them might
};

/// What parts of layers may take, in bytes per lane, and when maps may move.
struct PartLimits {
    std::int64_t weights = 0;  ///< of a piece of weights; one channel slot at least
    std::int64_t scratch = 0;  ///< of a part of an operator; one channel slot at least
    std::int64_t packed = 0;   ///< of weights that are packed with the small constants
    int reach = 1;  ///< sections from a map's transfer to its first reader or last writer, at most
    bool hold = false;  ///< weights stay from slice to slice where there is room
    WeightBanks banks = WeightBanks::kApart;
    std::int64_t room = 0;  ///< bytes of every lane that are used
    /// Eighths by which works are taken to last longer when transfers get their sections: where the
    /// data mover is the limit, more of them should be early.
    int eagerness = 0;
    /// Packed constants come in one command: where commands are dear, a second one takes longer
    /// than the first work waits.
    bool constants_at_once = false;
    SectionMerge merge = SectionMerge::kNone;
};

/// Planner: gives the constants of all layers that are packed their places from address 0 up.
void pack_constants(LayerPlan& plan, const PartLimits& limits);

/// Planner: where the packed constants of a layer end.
std::int64_t packed_end(const LayerPlan& plan, std::int32_t layer);

/// Planner: what lies behind the packed constants in prepared memory.
void place_prepared(const LayerCall& call, LayerPlan& plan);

/// Planner: the parts of all layers, in order.
std::vector<LayerWork> works_of(const LayerCall& call, const LayerPlan& plan,
                                const PartLimits& limits);

}  // namespace okksim::kernels::layers
