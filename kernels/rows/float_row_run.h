// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include "kernels/rows/float_row_plan.h"

/// Row groups of fp32 as firmware.
namespace okksim::kernels::rows {

/// Issues the commands of the first `most` tiles.
void run_float_rows(const OperatorCall& call, const FloatRowPlan& plan, std::int64_t most);

}  // namespace okksim::kernels::rows
