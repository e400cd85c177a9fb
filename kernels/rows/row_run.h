// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include "kernels/rows/row_plan.h"

/// Row groups as firmware.
namespace okksim::kernels::rows {

/// Issues the commands of the first `most` tiles.
void run_rows(const OperatorCall& call, const RowPlan& plan, std::int64_t most);

}  // namespace okksim::kernels::rows
