// SPDX-License-Identifier: Apache-2.0
#include "kernels/tensor.h"

namespace okksim::kernels {

#define OKKSIM_TOSA_KERNEL(op, function) void function(const OperatorCall& call);
#include "kernels/tosa_kernels.def"
#undef OKKSIM_TOSA_KERNEL

OperatorKernel find_operator_kernel(tosa::OpCode op) {
    static constexpr struct {
        tosa::OpCode op;
        OperatorKernel kernel;
    } kTable[] = {
#define OKKSIM_TOSA_KERNEL(op, function) {tosa::OpCode::op, function},
#include "kernels/tosa_kernels.def"
#undef OKKSIM_TOSA_KERNEL
    };
    for (const auto& row : kTable) {
        if (row.op == op) return row.kernel;
    }
    return nullptr;
}

}  // namespace okksim::kernels
