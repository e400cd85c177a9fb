// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <vector>

#include "sim/why/origin_search.h"

namespace okksim::sim::why {

/// Memory at the end of a repeated recording, and the first deviation.
struct Reexecution {
    std::vector<std::byte> bytes;  ///< of the requested range
    /// The first command whose result differs from the recorded one.
    std::optional<std::size_t> deviates;
};

/// Executes the recording's commands again and fills in the tree's values. `address` and `bytes`
/// give the requested range of system memory at the end. Without bytes, execution stops after the
/// tree's last event.
Reexecution fill_values(const Recording& recording, const Machine& machine, OriginTree& tree,
                        std::uint64_t address, std::uint64_t bytes);

/// Fills in the start and end of the tree's commands.
void fill_times(const Recording& recording, OriginTree& tree);

}  // namespace okksim::sim::why
