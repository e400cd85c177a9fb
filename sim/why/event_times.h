// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include "models/common/units.h"
#include "sim/why/recorded_events.h"

namespace okksim::sim::why {

/// Start and end of a command.
struct EventTime {
    models::Picoseconds start, end;
};

/// Replays a recording and returns the times of its events, in order. Only commands have times.
std::vector<EventTime> event_times(const Recording& recording);

}  // namespace okksim::sim::why
