// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "sim/study/gate/time_record.h"

namespace okksim::sim::gate {

/// Returns the source lines whose commands or time changed most, in the direction of the run's
/// change. Example: "+8.00 us at add.c:41, 64 -> 128 commands: okk_bdc_add(...)". Lines of both
/// records match by their text, because an edit moves the lines below it.
std::vector<std::string> changed_lines(const TimeRecord& base, const TimeRecord& next);

}  // namespace okksim::sim::gate
