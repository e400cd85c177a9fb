// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "models/common/units.h"

namespace okksim::models {

/// Parts of a command's time along its critical path.
struct CommandCost {
    Picoseconds work{};              ///< the engine itself: start-up, compute, ports, pieces
    Picoseconds memory_bandwidth{};  ///< a system memory streaming or changing rows
    Picoseconds memory_latency{};    ///< a system memory between request and data
    Picoseconds bank_conflict{};     ///< a bank of local memory serving other accesses

    Picoseconds total() const { return work + memory_bandwidth + memory_latency + bank_conflict; }
};

/// Times of the steps of a command's life.
struct CommandTimes {
    Picoseconds queued;  ///< written to its queue by the control processor
    Picoseconds ready;   ///< head of its queue, engine free, dependencies complete
    Picoseconds start;
    Picoseconds end;   ///< the effect on memory occurs at this time
    CommandCost cost;  ///< adds up to end - start
};

}  // namespace okksim::models
