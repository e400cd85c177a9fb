// SPDX-License-Identifier: Apache-2.0
#include "kernels/rows/float_row_program.h"

#include <algorithm>

#include "kernels/pointwise/fusion.h"
#include "kernels/tosa/operator_row.h"

namespace okksim::kernels::rows {

using tosa::DType;
using tosa::OpCode;

bool FloatRowProgram::has_powers() const {
    return std::any_of(commands.begin(), commands.end(), [](const FloatRowCommand& command) {
        return command.function == FloatRowFunction::kPower;
    });
}

bool FloatRowProgram::has_products() const {
    return std::any_of(commands.begin(), commands.end(), [](const FloatRowCommand& command) {
        return command.function == FloatRowFunction::kProduct;
    });
}

std::uint64_t FloatRowProgram::argument_words() const {
    std::uint64_t words = 9;
    // Operand index, strides and extent; and the matrix dimensions of products.
    const std::uint64_t own = has_products() ? 2 : 0;
    for (const FloatRowValue& value : values) {
        words += (value.stored ? 8 : 1) + own;
        if (value.stored && value.stored->strides.blocks > 0) words += 2;
    }
    // Function and operator, operands and result, the constant.
    return words + 3 * commands.size();
}

int float_row_operands(OpCode op) {
    if (op == OpCode::kReduceSum || op == OpCode::kReduceMax) return 1;
    if (op == OpCode::kMatmul) return 2;
    if (op == OpCode::kReshape) return 1;
    const int leading = leading_operands(op);
    return has_float_body(op) && leading <= 2 ? leading : 0;
}

bool is_float_row_group(const OperatorCall& call) {
    if (call.followers.empty() || call.outputs[0].type != DType::kFp32) return false;
    const bool is_product = call.op == OpCode::kMatmul;
    if (!is_product && tosa::gives_sums(tosa::operator_row(call.op).fusion)) return false;
    for (std::size_t i = 0; i < call.followers.size(); ++i) {
        if (!can_follow(call, call.followers.first(i), call.followers[i])) return true;
    }
    return false;
}

}  // namespace okksim::kernels::rows
