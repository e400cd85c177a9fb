// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <vector>

#include "sim/why/origin_search.h"

namespace okksim::sim::why {

/// Memory at the end of a recording, and what went wrong with making it again.
struct Reexecution {
    std::vector<std::byte> bytes;  ///< of the range that was asked for
    /// The first command that wrote something else than when it was recorded.
    std::optional<std::size_t> deviates;
};

/// Carries the recording's commands out again and fills in the tree's values; `address`, `bytes`:
/// what of system memory is wanted from its end; without bytes only what the tree needs is done.
Reexecution fill_values(const Recording& recording, const Machine& machine, OriginTree& tree,
                        std::uint64_t address, std::uint64_t bytes);

/// Fills in when the tree's commands ran.
void fill_times(const Recording& recording, OriginTree& tree);

}  // namespace okksim::sim::why
