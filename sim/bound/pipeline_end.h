// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <vector>

#include "models/common/units.h"

/// Consecutive works of the compute engine, and the GDMA's transfers for them.
namespace okksim::sim::bound {

struct PipelineWork {
    models::Picoseconds time;
    models::Picoseconds loads;   ///< transfers that it is the first to wait for
    models::Picoseconds stores;  ///< transfers that wait for it
    /// Time to issue its own commands, and those of its loads.
    models::Picoseconds issue{}, load_issue{};
};
using Pipeline = std::vector<PipelineWork>;

/// Returns the earliest time at which everything is done, for any order of transfers. `first` is
/// the time when the first command reaches its engine, and later works are issued after it. Without
/// `first` all commands are issued at the start.
models::Picoseconds end_of(const Pipeline& pipeline,
                           std::optional<models::Picoseconds> first = std::nullopt);

}  // namespace okksim::sim::bound
