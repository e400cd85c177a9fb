// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <optional>

#include "sim/why/recorded_events.h"

namespace okksim::sim::why {

/// Returns the command whose result at `place` the command `event` overwrites, if no command of the
/// launch has read it in between. Constants do not count, because kernels fill memory before they
/// write it.
std::optional<std::size_t> find_lost_value(const Recording& recording,
                                           const isa::MachineShape& machine, std::size_t event,
                                           const Place& place);

}  // namespace okksim::sim::why
