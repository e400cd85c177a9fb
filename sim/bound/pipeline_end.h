// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <vector>

#include "models/common/units.h"

/// Works of the compute engine one after the other, and what the data mover does for them.
namespace okksim::sim::bound {

struct PipelineWork {
    models::Picoseconds time;
    models::Picoseconds loads;   ///< of what it is the first to wait for
    models::Picoseconds stores;  ///< of what nothing can store before it is done
    std::int64_t commands = 0, load_commands = 0;
};
using Pipeline = std::vector<PipelineWork>;

/// When commands are with their engines: the first one, and each further one so much later.
struct IssuePace {
    models::Picoseconds first, command;
};

/// When all is done at the earliest, whatever the order in which the data mover works.
models::Picoseconds end_of(const Pipeline& pipeline, const IssuePace& pace);

}  // namespace okksim::sim::bound
