// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <vector>

#include "kernels/layers/layer_plan.h"

namespace okksim::kernels::layers {

/// Banks of a piece of weights. Products are slower if weights share banks with feature maps.
enum class WeightBanks : std::uint8_t {
    kApart,     ///< in separate banks if there is room, even if they are loaded late
    kCheapest,  ///< minimises the sum of work and waiting for the load
    kEarliest   ///< where the load can start first
};

/// Criterion for merging sections to reduce waiting of the engines.
enum class SectionMerge : std::uint8_t {
    kNone,
    kWhereFree,  ///< if neither section needs the memory of the other
    kWithRoom    ///< feature maps keep their memory through adjacent sections that might merge
};

/// Limits of parts of layers in bytes per lane, and of the distance of transfers.
struct PartLimits {
    std::int64_t weights = 0;  ///< of a piece of weights; at least one channel slot
    std::int64_t scratch = 0;  ///< of a part of an operator; at least one channel slot
    std::int64_t packed = 0;   ///< of weights that are packed with the small constants
    int reach = 1;             ///< most sections from a transfer to its first reader or last writer
    bool hold = false;         ///< weights stay from slice to slice where there is room
    WeightBanks banks = WeightBanks::kApart;
    std::int64_t room = 0;  ///< bytes of every lane that are available
    /// Eighths by which works count longer when transfers are scheduled. If the GDMA is the limit,
    /// this makes more transfers early.
    int eagerness = 0;
    /// Packed constants come in one command. If commands are expensive, a second one costs more
    /// than the first work waits.
    bool constants_at_once = false;
    SectionMerge merge = SectionMerge::kNone;
};

/// Planner: assigns addresses from 0 up to the packed constants of all layers.
void pack_constants(LayerPlan& plan, const PartLimits& limits);

/// Planner: where the packed constants of a layer end.
std::int64_t packed_end(const LayerPlan& plan, std::int32_t layer);

/// Planner: assigns offsets in prepared memory after the packed constants.
void place_prepared(const LayerCall& call, LayerPlan& plan);

/// Planner: the parts of all layers, in order.
std::vector<LayerWork> works_of(const LayerCall& call, const LayerPlan& plan,
                                const PartLimits& limits);

}  // namespace okksim::kernels::layers
