// SPDX-License-Identifier: Apache-2.0
#include "isa/base/errors.h"
#include "kernels/call/computing.h"
#include "kernels/call/tensor.h"
#include "kernels/rows/float_row_program.h"
#include "kernels/rows/row_kernels.h"
#include "kernels/rows/row_program.h"

namespace okksim::kernels {

// Column `kernel` of the rows. A function without a definition is an undefined symbol for the
// linker.
#define OKKSIM_KERNEL_kernel(function) void function(const OperatorCall& call);
#define OKKSIM_KERNEL_runner
#define OKKSIM_TOSA_OPERATOR(op, attributes, kernel, ...) OKKSIM_KERNEL_##kernel
#include "kernels/tosa/operators.def"
#undef OKKSIM_KERNEL_kernel
#undef OKKSIM_KERNEL_runner
#undef OKKSIM_TOSA_OPERATOR

namespace {

#define OKKSIM_KERNEL_kernel(function) charged<function>
#define OKKSIM_KERNEL_runner nullptr
#define OKKSIM_TOSA_OPERATOR(op, attributes, kernel, ...) OKKSIM_KERNEL_##kernel,
constexpr OperatorKernel kKernels[] = {
#include "kernels/tosa/operators.def"
};
#undef OKKSIM_KERNEL_kernel
#undef OKKSIM_KERNEL_runner
#undef OKKSIM_TOSA_OPERATOR

}  // namespace

OperatorKernel find_operator_kernel(tosa::OpCode op) {
    const auto number = static_cast<std::size_t>(op);
    OKKSIM_CHECK(number >= 1 && number <= std::size(kKernels));
    return kKernels[number - 1];
}

OperatorKernel find_call_kernel(const OperatorCall& call) {
    if (rows::is_row_group(call)) return charged<rows::row_group_kernel>;
    if (rows::is_float_row_group(call)) return rows::float_row_group_kernel;
    return find_operator_kernel(call.op);
}

}  // namespace okksim::kernels
