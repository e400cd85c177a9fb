// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include "models/common/units.h"
#include "sim/why/recorded_events.h"

namespace okksim::sim::why {

/// When a command ran.
struct EventTime {
    models::Picoseconds start, end;
};

/// Replays a recording for the time of each of its events, in their order; what is no command has
/// none.
std::vector<EventTime> event_times(const Recording& recording);

}  // namespace okksim::sim::why
