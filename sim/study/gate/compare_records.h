// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "sim/study/gate/case_comparison.h"
#include "sim/study/gate/time_record.h"

namespace okksim::sim::gate {

/// Compares results and times of a case. The reasons name machines, causes, operators, source lines
/// of a kernel, and changes of commands, bytes and energy.
void compare_records(const TimeRecord& base, const TimeRecord& next, double threshold,
                     CaseComparison& result);

}  // namespace okksim::sim::gate
