// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "kernels/call/tensor.h"

/// Kernels of row groups: they take the plan as decision "rows" and run it.
namespace okksim::kernels::rows {

/// The kernel of a call that is a row group.
void row_group_kernel(const OperatorCall& call);

/// The kernel of a call that is a row group of fp32. The plan contains the operators, so a launch's
/// arguments are only the plan and addresses. The kernel charges for them itself.
void float_row_group_kernel(const OperatorCall& call);

}  // namespace okksim::kernels::rows
