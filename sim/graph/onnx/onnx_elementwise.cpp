// SPDX-License-Identifier: Apache-2.0
// Element-wise operators.
#include <map>

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

/// Operator sets before 7 broadcast the second operand from the attribute `axis` on.
void take_old_broadcast(const Call& call) {
    if (call.opset() >= 7 || !call.has_attribute("axis")) return;
    Value& x = call.input(0);
    Value& y = call.input(1);
    const std::size_t axis = call.axis(call.integer("axis", 0), x.rank());
    if (axis + y.rank() > x.rank()) {
        call.illegal("axis", std::to_string(axis), "the second operand fits into the first one");
    }
    Shape shape = y.shape;
    shape.insert(shape.end(), x.rank() - axis - y.rank(), 1);
    if (y.known) {
        y.known = reshaped(*y.known, shape);
        y.declared.reset();
    } else {
        y.declared = call.ops().reshape(call.tensor(1), shape, "ranked");
    }
    y.channels_last.reset();
    y.shape = shape;
}

Operands operands(const Call& call) {
    call.require_inputs(2, 2);
    take_old_broadcast(call);
    Value& x = call.input(0);
    Value& y = call.input(1);
    call.require_same_type({&x, &y});
    return {call.tensors().aligned({&x, &y}), call.broadcast({&x, &y}), x.type};
}

template <typename Compute>
void arithmetic(const Call& call, Compute&& compute) {
    const Operands both = operands(call);
    if (both.type == ElementType::kBool) {
        call.illegal("input 0", "bool", "the operator computes with numbers");
    }
    OperatorBuilder& ops = call.ops();
    const TensorIndex x = widened(ops, both.type, both.order.tensors[0]);
    const TensorIndex y = widened(ops, both.type, both.order.tensors[1]);
    call.set_aligned(0, both.type, both.shape, both.order,
                     narrowed(ops, both.type, compute(ops, x, y)));
}

/// Sets the result of a function of one operand's elements.
template <typename Compute>
void unary(const Call& call, Compute&& compute) {
    Value& x = call.input(0);
    const Aligned order = call.aligned(0);
    OperatorBuilder& ops = call.ops();
    const TensorIndex wide = widened(ops, x.type, order.tensors[0]);
    call.set_aligned(0, x.type, x.shape, order, narrowed(ops, x.type, compute(ops, wide)));
}

}  // namespace

void add(const Call& call) {
    arithmetic(call, [](OperatorBuilder& ops, TensorIndex x, TensorIndex y) {
        return ops.binary(OpCode::kAdd, x, y, "sum");
    });
}

void subtract(const Call& call) {
    arithmetic(call, [](OperatorBuilder& ops, TensorIndex x, TensorIndex y) {
        return ops.binary(OpCode::kSub, x, y, "difference");
    });
}

void multiply(const Call& call) {
    arithmetic(call, [](OperatorBuilder& ops, TensorIndex x, TensorIndex y) {
        return ops.product(x, y, "product");
    });
}

void divide(const Call& call) {
    arithmetic(call, [](OperatorBuilder& ops, TensorIndex x, TensorIndex y) {
        if (!is_floating_point(ops.type(x))) return ops.binary(OpCode::kIntdiv, x, y, "quotient");
        return ops.product(x, ops.unary(OpCode::kReciprocal, y, "reciprocal"), "quotient");
    });
}

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
    call.require(both.type == ElementType::kBool, "input 0", std::string(element_name(both.type)),
                 "the operands are bool");
    call.set_aligned(0, both.type, both.shape, both.order,
                     call.ops().binary(op, both.order.tensors[0], both.order.tensors[1], "both"));
}

void logical_not(const Call& call) {
    Value& x = call.input(0);
    const Aligned order = call.aligned(0);
    call.require(x.type == ElementType::kBool, "input 0", std::string(element_name(x.type)),
                 "the operand is bool");
    call.set_aligned(0, x.type, x.shape, order,
                     call.ops().unary(OpCode::kLogicalNot, order.tensors[0], "not"));
}

void float_unary(const Call& call) {
    static const std::map<std::string_view, OpCode> codes{
        {"Ceil", OpCode::kCeil}, {"Cos", OpCode::kCos},         {"Erf", OpCode::kErf},
        {"Exp", OpCode::kExp},   {"Floor", OpCode::kFloor},     {"Log", OpCode::kLog},
        {"Sin", OpCode::kSin},   {"Sigmoid", OpCode::kSigmoid}, {"Tanh", OpCode::kTanh},
    };
    call.require(is_real(call.input(0).type), "input 0",
                 std::string(element_name(call.input(0).type)), "the operand has real numbers");
    unary(call, [&](OperatorBuilder& ops, TensorIndex x) {
        return ops.unary(codes.at(call.op_type()), x, "result");
    });
}

void absolute(const Call& call) {
    unary(call, [](OperatorBuilder& ops, TensorIndex x) {
        return ops.unary(OpCode::kAbs, x, "absolute");
    });
}

void negate(const Call& call) {
    unary(call, [](OperatorBuilder& ops, TensorIndex x) {
        if (!is_floating_point(ops.type(x))) {
            return ops.binary(OpCode::kSub, ops.number(DType::kI32, ops.rank(x), 0), x, "negative");
        }
        const TensorIndex zero = ops.number(ops.type(x), 1, 0);
        return ops.block().add(OpCode::kNegate, NoAttributes{}, {x, zero, zero}, ops.type(x),
                               ops.shape(x), "negative");
    });
}

void relu(const Call& call) {
    unary(call, [](OperatorBuilder& ops, TensorIndex x) {
        if (!is_floating_point(ops.type(x))) {
            return ops.binary(OpCode::kMaximum, x, ops.number(DType::kI32, ops.rank(x), 0), "relu");
        }
        constexpr double kInfinity = std::numeric_limits<double>::infinity();
        return ops.clamp(x, 0, kInfinity, "relu");
    });
}

void where(const Call& call) {
    Value& x = call.input(1);
    Value& y = call.input(2);
    call.require_same_type({&x, &y});
    call.require(call.input(0).type == ElementType::kBool, "input 0",
                 std::string(element_name(call.input(0).type)), "the condition is bool");
    const Shape shape = call.broadcast(call.inputs());
    const Aligned order = call.aligned();
    call.set_aligned(
        0, x.type, shape, order,
        call.ops().select(order.tensors[0], order.tensors[1], order.tensors[2], "chosen"));
}

}  // namespace okksim::sim::graph::onnx::lower
