// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include "sim/study/gate/time_record.h"
#include "sim/trace/line_profile.h"

namespace okksim::sim::gate {

/// Returns commands and time of the source lines of a kernel. Code without line numbers is left
/// out.
std::vector<LineTime> lines_of(const trace::LineProfile& profile);

}  // namespace okksim::sim::gate
