// SPDX-License-Identifier: Apache-2.0
// Comparisons, logic and choices.
#include "sim/graph/onnx/onnx_checks.h"
#include "sim/graph/onnx/onnx_elements.h"
#include "sim/graph/onnx/onnx_operators.h"

namespace okksim::sim::graph::onnx::lower {

namespace {

/// Two operands in one dimension order, and the shape of the result.
struct Operands {
    Aligned order;
    Shape shape;
    ElementType type;
};

Operands operands(const Call& call) {
    check_binary(call);
    Value& x = call.input(0);
    Value& y = second_operand(call);
    return {call.tensors().aligned({&x, &y}), call.broadcast({&x, &y}), x.type};
}

}  // namespace

void compare(const Call& call) {
    const Operands both = operands(call);
    OperatorBuilder& ops = call.ops();
    TensorIndex x = both.order.tensors[0], y = both.order.tensors[1];
    if (both.type == ElementType::kBool) {
        const TensorIndex differ = ops.binary(OpCode::kLogicalXor, x, y, "differ");
        return call.set_aligned(0, both.type, both.shape, both.order,
                                ops.unary(OpCode::kLogicalNot, differ, "equal"));
    }
    x = widened(ops, both.type, x);
    y = widened(ops, both.type, y);
    const std::string_view type = call.op_type();
    const bool is_less = type.starts_with("Less");
    if (is_less) std::swap(x, y);
    const OpCode op = type == "Equal"             ? OpCode::kEqual
                      : type.ends_with("OrEqual") ? OpCode::kGreaterEqual
                                                  : OpCode::kGreater;
    call.set_aligned(0, ElementType::kBool, both.shape, both.order, ops.test(op, x, y, "test"));
}

void logical(const Call& call) {
    const Operands both = operands(call);
    const std::string_view type = call.op_type();
    const OpCode op = type == "And"  ? OpCode::kLogicalAnd
                      : type == "Or" ? OpCode::kLogicalOr
                                     : OpCode::kLogicalXor;
    call.set_aligned(0, both.type, both.shape, both.order,
                     call.ops().binary(op, both.order.tensors[0], both.order.tensors[1], "both"));
}

void logical_not(const Call& call) {
    check_unary(call);
    Value& x = call.input(0);
    const Aligned order = call.aligned(0);
    call.set_aligned(0, x.type, x.shape, order,
                     call.ops().unary(OpCode::kLogicalNot, order.tensors[0], "not"));
}

void where(const Call& call) {
    check_where(call);
    const ElementType type = call.input(1).type;
    const Shape shape = call.broadcast(call.inputs());
    if (elements_of(shape) == 0) return set_empty(call, 0, type, shape);
    const Aligned order = call.aligned();
    call.set_aligned(
        0, type, shape, order,
        call.ops().select(order.tensors[0], order.tensors[1], order.tensors[2], "chosen"));
}

}  // namespace okksim::sim::graph::onnx::lower
