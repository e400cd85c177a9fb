// SPDX-License-Identifier: Apache-2.0
// Arithmetic of two or more operands.
#include <cmath>

#include "sim/graph/compose/float_functions.h"
#include "sim/graph/compose/integer_functions.h"
#include "sim/graph/onnx/onnx_checks.h"
#include "sim/graph/onnx/onnx_elements.h"
#include "sim/graph/onnx/onnx_operators.h"

namespace okksim::sim::graph::onnx::lower {

namespace {

using Binary = TensorIndex (*)(OperatorBuilder& ops, TensorIndex x, TensorIndex y);

/// Sets the result of an operator of two operands of one type, integers as i32.
template <typename Compute>
void combine(const Call& call, Compute&& compute) {
    check_binary(call);
    Value& x = call.input(0);
    Value& y = second_operand(call);
    const Shape shape = call.broadcast({&x, &y});
    if (elements_of(shape) == 0) return set_empty(call, 0, x.type, shape);
    const Aligned order = call.tensors().aligned({&x, &y});
    OperatorBuilder& ops = call.ops();
    const TensorIndex result = compute(ops, widened(ops, x.type, order.tensors[0]),
                                       widened(ops, y.type, order.tensors[1]));
    call.set_aligned(0, x.type, shape, order, narrowed(ops, x.type, result));
}

void arithmetic(const Call& call, Binary real, Binary whole) {
    const bool has_reals = is_real(call.input(0).type);
    combine(call, [&](OperatorBuilder& ops, TensorIndex x, TensorIndex y) {
        return has_reals ? real(ops, x, y) : whole(ops, x, y);
    });
}

template <OpCode op>
TensorIndex plain(OperatorBuilder& ops, TensorIndex x, TensorIndex y) {
    return ops.binary(op, x, y, "result");
}

TensorIndex product(OperatorBuilder& ops, TensorIndex x, TensorIndex y) {
    return ops.product(x, y, "product");
}

TensorIndex quotient(OperatorBuilder& ops, TensorIndex x, TensorIndex y) {
    return compose::divide(ops, x, y);
}

/// Integers to a power of real numbers: the result is truncated, so rounding errors of exact powers
/// must not make it smaller.
TensorIndex real_power_of_integers(const Call& call, TensorIndex x, TensorIndex y) {
    OperatorBuilder& ops = call.ops();
    const TensorIndex base = ops.cast(x, DType::kFp32, "base");
    const TensorIndex power =
        compose::power(ops, base, onnx::cast(ops, call.input(1).type, ElementType::kFloat32, y));
    const TensorIndex enough =
        ops.product(power, ops.number(DType::kFp32, ops.rank(power), 1 + 4e-6), "enough");
    return onnx::cast(ops, ElementType::kFloat32, ElementType::kInt32, enough);
}

/// Returns the only value of a known exponent.
std::optional<double> single_exponent(const Value& y) {
    if (!y.known || y.known->count() != 1) return std::nullopt;
    return reals(*y.known)[0];
}

}  // namespace

void add(const Call& call) { arithmetic(call, &plain<OpCode::kAdd>, &plain<OpCode::kAdd>); }

void subtract(const Call& call) { arithmetic(call, &plain<OpCode::kSub>, &plain<OpCode::kSub>); }

void multiply(const Call& call) { arithmetic(call, &product, &product); }

void divide(const Call& call) { arithmetic(call, &quotient, &compose::integer_divide); }

void modulo(const Call& call) {
    const bool has_sign_of_dividend = call.integer("fmod", 0) != 0;
    arithmetic(call, &compose::c_modulo,
               has_sign_of_dividend ? &compose::integer_c_modulo : &compose::integer_floor_modulo);
}

void power(const Call& call) {
    const ElementType base = call.input(0).type;
    Value& exponent = call.input(1);
    const std::optional<double> single = single_exponent(exponent);
    const bool is_whole_power =
        !is_real(exponent.type) || (single && *single == std::floor(*single));
    combine(call, [&](OperatorBuilder& ops, TensorIndex x, TensorIndex y) {
        if (is_real(base)) {
            if (single && call.broadcast({&call.input(0), &exponent}) == call.input(0).shape) {
                return compose::power(ops, x, *single);
            }
            return compose::power(ops, x, onnx::cast(ops, exponent.type, base, y));
        }
        if (!is_whole_power) return real_power_of_integers(call, x, y);
        if (single) return compose::integer_power(ops, x, static_cast<std::int64_t>(*single));
        return compose::integer_power(ops, x, y);
    });
}

void bit_shift(const Call& call) {
    const std::string_view direction = call.text("direction", "");
    call.require(direction == "LEFT" || direction == "RIGHT", "direction", std::string(direction),
                 "the direction is LEFT or RIGHT");
    arithmetic(call, nullptr,
               direction == "LEFT" ? &compose::shift_left : &compose::shift_right_unsigned);
}

void bitwise(const Call& call) {
    const std::string_view type = call.op_type();
    arithmetic(call, nullptr,
               type == "BitwiseAnd"  ? &plain<OpCode::kBitwiseAnd>
               : type == "BitwiseOr" ? &plain<OpCode::kBitwiseOr>
                                     : &plain<OpCode::kBitwiseXor>);
}

void variadic(const Call& call) {
    check_variadic(call);
    const std::string_view type = call.op_type();
    const ElementType element = call.input(0).type;
    const Shape shape = call.broadcast(call.inputs());
    if (elements_of(shape) == 0) return set_empty(call, 0, element, shape);
    const Aligned order = call.aligned();
    OperatorBuilder& ops = call.ops();
    std::vector<TensorIndex> operands;
    for (const TensorIndex x : order.tensors) operands.push_back(widened(ops, element, x));
    TensorIndex result = operands[0];
    if (type == "Max") {
        result = compose::maximum_of(ops, operands);
    } else if (type == "Min") {
        result = compose::minimum_of(ops, operands);
    } else {
        for (std::size_t i = 1; i < operands.size(); ++i) {
            result = ops.binary(OpCode::kAdd, result, operands[i], "sum");
        }
        if (type == "Mean") {
            result = compose::divide(ops, result, static_cast<double>(operands.size()));
        }
    }
    call.set_aligned(0, element, shape, order, narrowed(ops, element, result));
}

void prelu(const Call& call) {
    call.require_inputs(2, 2);
    require_numbers(call);
    Value& x = call.input(0);
    Value* slope = &call.input(1);
    call.require_same_type({&x, slope});
    // Operator sets before 7 have one slope per channel.
    if (call.opset() < 7 && slope->rank() == 1 && slope->shape[0] > 1 && x.rank() > 2) {
        Shape shape(x.rank() - 1, 1);
        shape[0] = slope->shape[0];
        slope = &viewed(call, *slope, shape);
    }
    require_broadcasts(call, *slope);
    const Aligned order = call.tensors().aligned({&x, slope});
    OperatorBuilder& ops = call.ops();
    TensorIndex value = widened(ops, x.type, order.tensors[0]);
    const TensorIndex scale = widened(ops, x.type, order.tensors[1]);
    if (is_real(x.type)) {
        value = compose::prelu(ops, value, scale);
    } else {
        const TensorIndex zero = ops.number(DType::kI32, ops.rank(value), 0);
        const TensorIndex below = ops.binary(OpCode::kMinimum, value, zero, "below");
        value = ops.binary(OpCode::kAdd, ops.binary(OpCode::kMaximum, value, zero, "above"),
                           ops.product(below, scale, "scaled"), "prelu");
    }
    call.set_aligned(0, x.type, x.shape, order, narrowed(ops, x.type, value));
}

}  // namespace okksim::sim::graph::onnx::lower
