// SPDX-License-Identifier: Apache-2.0
#include "sim/planning/storage_order.h"

namespace okksim::sim::planning {

OrderRule order_rule(tosa::OpCode op) {
    using tosa::OpCode;
    switch (op) {
        case OpCode::kAvgPool2d:
        case OpCode::kMaxPool2d:
        case OpCode::kConv2d:
        case OpCode::kConv3d:
        case OpCode::kDepthwiseConv2d:
        case OpCode::kTransposeConv2d:
        case OpCode::kResize: return {.feature_inputs = 1};
        case OpCode::kClamp:
        case OpCode::kErf:
        case OpCode::kSigmoid:
        case OpCode::kTanh:
        case OpCode::kAdd:
        case OpCode::kArithmeticRightShift:
        case OpCode::kBitwiseAnd:
        case OpCode::kBitwiseOr:
        case OpCode::kBitwiseXor:
        case OpCode::kIntdiv:
        case OpCode::kLogicalAnd:
        case OpCode::kLogicalLeftShift:
        case OpCode::kLogicalRightShift:
        case OpCode::kLogicalOr:
        case OpCode::kLogicalXor:
        case OpCode::kMaximum:
        case OpCode::kMinimum:
        case OpCode::kMul:
        case OpCode::kPow:
        case OpCode::kSub:
        case OpCode::kTable:
        case OpCode::kAbs:
        case OpCode::kBitwiseNot:
        case OpCode::kCeil:
        case OpCode::kClz:
        case OpCode::kCos:
        case OpCode::kExp:
        case OpCode::kFloor:
        case OpCode::kLog:
        case OpCode::kLogicalNot:
        case OpCode::kNegate:
        case OpCode::kReciprocal:
        case OpCode::kRsqrt:
        case OpCode::kSin:
        case OpCode::kEqual:
        case OpCode::kGreater:
        case OpCode::kGreaterEqual:
        case OpCode::kConcat:
        case OpCode::kPad:
        case OpCode::kReverse:
        case OpCode::kSlice:
        case OpCode::kTile:
        case OpCode::kCast:
        case OpCode::kRescale:
        case OpCode::kIdentity: return {.follows_input = true};
        case OpCode::kArgmax:
        case OpCode::kFft2d:
        case OpCode::kMatmul:
        case OpCode::kRfft2d:
        case OpCode::kSelect:
        case OpCode::kReduceAll:
        case OpCode::kReduceAny:
        case OpCode::kReduceMax:
        case OpCode::kReduceMin:
        case OpCode::kReduceProduct:
        case OpCode::kReduceSum:
        case OpCode::kReshape:
        case OpCode::kTranspose:
        case OpCode::kGather:
        case OpCode::kScatter:
        case OpCode::kConst:
        case OpCode::kCondIf:
        case OpCode::kWhileLoop:
        case OpCode::kVariable:
        case OpCode::kVariableWrite:
        case OpCode::kVariableRead:
        case OpCode::kConstShape: return {};
        case OpCode::kCustom: return {.row_major_inputs = true};
    }
    return {};
}

namespace {

/// True when the two tensors have the same rank and neither broadcasts, so one order suits both.
bool same_shape(const graph::Tensor& a, const graph::Tensor& b) { return a.shape == b.shape; }

StorageOrder order_of_output(const graph::Block& block, const graph::Operator& op,
                             const std::vector<StorageOrder>& orders) {
    const OrderRule rule = order_rule(op.op);
    if (rule.feature_inputs > 0) return StorageOrder::kChannelFirst;
    if (!rule.follows_input) return StorageOrder::kRowMajor;
    // A broadcast operand says nothing about the order; any full operand that is channel first
    // does.
    for (const graph::TensorIndex input : op.inputs) {
        if (orders[input] == StorageOrder::kChannelFirst &&
            (input == op.inputs.front() ||
             same_shape(block.tensors[input], block.tensors[op.outputs.front()]))) {
            return StorageOrder::kChannelFirst;
        }
    }
    return StorageOrder::kRowMajor;
}

}  // namespace

std::vector<StorageOrder> choose_orders(const graph::Block& block) {
    std::vector<StorageOrder> orders(block.tensors.size(), StorageOrder::kRowMajor);
    std::vector<bool> fixed(block.tensors.size(), false);
    for (const graph::TensorIndex output : block.outputs) fixed[output] = true;
    for (const graph::Operator& op : block.operators) {
        if (op.outputs.size() != 1) continue;
        const graph::TensorIndex output = op.outputs.front();
        if (!fixed[output]) orders[output] = order_of_output(block, op, orders);
    }
    return orders;
}

}  // namespace okksim::sim::planning
