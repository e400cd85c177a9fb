// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "sim/planning/plan.h"

namespace okksim::sim::planning {

/// The use of a block of local memory.
enum class LocalUse : std::uint8_t { kMap, kWeights, kScratch, kConstants };
/// Returns "map", "weights", "scratch" or "constants".
const char* local_use_name(LocalUse use);

/// Bytes of every lane that a layer group uses from section `first` to section `last`, both
/// included.
struct LocalBlock {
    LocalUse use = LocalUse::kMap;
    std::string name;  ///< "conv1", "conv1 rows 0-13", "weights of conv1, channels 0-63"
    std::int64_t begin = 0, bytes = 0;
    std::int32_t first = 0, last = 0;
};

/// Returns all blocks of a layer group (StepKind::kLayers), in order of their first use.
std::vector<LocalBlock> local_blocks(const graph::Block& block, const BlockPlan& plan,
                                     const Step& step);

}  // namespace okksim::sim::planning
