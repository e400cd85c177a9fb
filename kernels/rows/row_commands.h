// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>

#include "kernels/prim/local_tensor.h"
#include "kernels/rows/row_program.h"

/// The commands of row programs.
namespace okksim::kernels::rows {

/// A value in the lanes, in elements of its type. An operand has the result's shape; strides of 0
/// broadcast.
struct RowOperand {
    local_addr_t address = 0;
    okk_element_t type = OKK_INT32;
    dim4 shape{1, 1, 1, 1};
    dim4 stride{0, 0, 0, 0};
};

struct RowOperands {
    RowOperand result;
    std::array<RowOperand, 3> sources;
};

/// Issues a command of the program. Reductions use a scratch plane of their operand's size at
/// `half`.
void issue(const RowCommand& command, const RowOperands& operands, local_addr_t half,
           std::int64_t columns);

/// Copies elements, of the destination's shape.
void copy(const RowOperand& to, const RowOperand& from);

/// Sets sign bits of `found`, words of the checked extent, if the command's condition does not
/// hold; other bits do not matter.
void find_violations(const RowCommand& command, const RowOperands& operands,
                     const prim::LocalTensor& found);

}  // namespace okksim::kernels::rows
