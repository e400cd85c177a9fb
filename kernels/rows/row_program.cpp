// SPDX-License-Identifier: Apache-2.0
#include "kernels/rows/row_program.h"

#include <algorithm>
#include <utility>

#include "isa/types.h"
#include "kernels/tosa/operator_row.h"

namespace okksim::kernels::rows {

using tosa::OpCode;

int row_operands(OpCode op) {
    switch (op) {
        case OpCode::kSelect: return 3;
        case OpCode::kAdd:
        case OpCode::kSub:
        case OpCode::kMul:
        case OpCode::kMaximum:
        case OpCode::kMinimum:
        case OpCode::kArithmeticRightShift:
        case OpCode::kLogicalLeftShift:
        case OpCode::kLogicalRightShift:
        case OpCode::kEqual:
        case OpCode::kGreater:
        case OpCode::kGreaterEqual:
        case OpCode::kMatmul: return 2;
        case OpCode::kAbs:
        case OpCode::kClz:
        case OpCode::kClamp:
        case OpCode::kReduceSum:
        case OpCode::kReduceMax:
        case OpCode::kReduceMin:
        case OpCode::kRescale:
        case OpCode::kReshape:
        case OpCode::kTable: return 1;
        default: return 0;
    }
}

bool works_along_rows(OpCode op) {
    return op == OpCode::kReduceSum || op == OpCode::kReduceMax || op == OpCode::kReduceMin ||
           op == OpCode::kMatmul;
}

std::int64_t columns_of(const RowProgram& program, const RowValue& value) {
    if (value.columns > 0) return value.columns;
    return has_columns(value.extent) ? program.columns : 1;
}

bool RowProgram::checks() const {
    return std::any_of(commands.begin(), commands.end(),
                       [](const RowCommand& command) { return command.check != RowCheck::kNone; });
}

RowExtent checked_extent(const RowProgram& program, const RowCommand& command) {
    const int value = command.check == RowCheck::kAmount ? command.operands[1] : command.result;
    return program.values[static_cast<std::size_t>(value)].extent;
}

int element_bytes(okk_element_t type) {
    return isa::element_bytes(static_cast<isa::ElementType>(type));
}

Members members_of(const OperatorCall& call, int operands) {
    Follower first{call.op,
                   call.attributes,
                   std::vector<int>(static_cast<std::size_t>(operands), Follower::kStored),
                   {call.inputs.begin(), call.inputs.end()},
                   {}};
    // The output of the first member equals the input of its reader.
    for (const Follower& follower : call.followers) {
        for (std::size_t k = 0; k < follower.operands.size(); ++k) {
            if (follower.operands[k] == 0) first.output = follower.inputs[k];
        }
    }
    Members members{std::move(first)};
    members.insert(members.end(), call.followers.begin(), call.followers.end());
    return members;
}

bool is_row_group(const OperatorCall& call) {
    if (call.followers.empty()) return false;
    const bool gives_sums = tosa::gives_sums(tosa::operator_row(call.op).fusion);
    if (gives_sums && std::none_of(call.followers.begin(), call.followers.end(),
                                   [](const Follower& f) { return works_along_rows(f.op); })) {
        return false;
    }
    return !tosa::is_floating_point(call.followers.back().output.type);
}

}  // namespace okksim::kernels::rows
