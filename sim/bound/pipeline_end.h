// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <vector>

#include "models/common/units.h"

/// Works of the compute engine one after the other, and what the data mover does for them.
namespace okksim::sim::bound {

struct PipelineWork {
    models::Picoseconds time;
    models::Picoseconds loads;   ///< of what it is the first to wait for
    models::Picoseconds stores;  ///< of what nothing can store before it is done
    /// What its commands, and those of its loads, take to be brought to their engines.
    models::Picoseconds issue{}, load_issue{};
};
using Pipeline = std::vector<PipelineWork>;

/// When all is done at the earliest, whatever the order in which the data mover works. `first`:
/// when the first command is with its engine, those of later works come behind; without it all are
/// there.
models::Picoseconds end_of(const Pipeline& pipeline,
                           std::optional<models::Picoseconds> first = std::nullopt);

}  // namespace okksim::sim::bound
