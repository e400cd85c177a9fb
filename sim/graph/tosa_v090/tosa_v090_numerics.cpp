// SPDX-License-Identifier: Apache-2.0
// Operators whose results are defined in 0.90 but not in 1.0, composed of operators of 1.0.
#include <algorithm>
#include <cmath>
#include <limits>

#include "sim/graph/element.h"
#include "sim/graph/tosa_v090/tosa_v090_formula.h"
#include "sim/graph/tosa_v090/tosa_v090_lowering.h"

namespace okksim::sim::graph {

namespace {

/// True if every value of the tensor is a constant for which `holds` is true; false if unknown.
template <typename Predicate>
bool all_values(const Tensor& tensor, Predicate holds) {
    if (!tensor.has_data) return false;
    const std::uint64_t count = element_count(tensor.shape).value_or(0);
    for (std::uint64_t i = 0; i < count; ++i) {
        const double value =
            is_floating_point(tensor.type)
                ? decode_float(tensor.type, float_bits_element(tensor.data, tensor.type, i))
                : static_cast<double>(integer_element(tensor.data, tensor.type, i));
        if (!holds(value)) return false;
    }
    return true;
}

}  // namespace

void LoweringV090::lower_logical_shift(const OperatorV090& op, OpCode code) {
    require_operands(op, 2, 1);
    const DType type = output(op).type;
    const bool is_narrow = type == DType::kI8 || type == DType::kI16;
    const bool types_agree = input(op, 0).type == type && input(op, 1).type == type;
    const double width = storage_bits(type);
    if (!is_narrow || !types_agree ||
        all_values(input(op, 1), [&](double amount) { return amount >= 0 && amount < width; })) {
        b_.add(code, NoAttributes{}, op.inputs, op.outputs);
        return;
    }
    // Every amount is in range in 32 bits; the low bits of the result are those of 0.90.
    TensorIndex value = cast(op.inputs[0], DType::kI32, "value_i32");
    const TensorIndex amount = cast(op.inputs[1], DType::kI32, "amount_i32");
    const Shape rank_ones(output(op).shape.size(), 1);
    if (code == OpCode::kLogicalRightShift) {
        const std::int64_t mask = (std::int64_t{1} << storage_bits(type)) - 1;
        const TensorIndex low_bits = b_.constant(DType::kI32, rank_ones, {mask}, "low_bits");
        const Shape shape = b_.tensor(value).shape;
        value = b_.add(OpCode::kBitwiseAnd, NoAttributes{}, {value, low_bits}, DType::kI32, shape,
                       "unsigned_i32");
    }
    const TensorIndex shifted =
        b_.add(code, NoAttributes{}, {value, amount}, DType::kI32, output(op).shape, "shifted_i32");
    b_.add(OpCode::kCast, NoAttributes{}, {shifted}, op.outputs);
}

// In 0.90, POW is C's pow. Let m = |x|, or 1 if x = 0 and y <= 0, which 1.0 leaves undefined. 1.0
// then defines m^y, and the special cases are:
//   x = 0, y < 0: infinity (x = 0, y = 0 gives 1^0 = 1).
//   x < 0 or x = -0 (its reciprocal is negative): the sign is minus for odd y.
//   x < 0 and y not an integer: NaN.
void LoweringV090::lower_pow(const OperatorV090& op) {
    require_operands(op, 2, 1);
    const DType type = output(op).type;
    const bool is_regular = is_floating_point(type) && input(op, 0).type == type &&
                            input(op, 1).type == type &&
                            input(op, 0).shape.size() == input(op, 1).shape.size();
    if (!is_regular) return lower_plain<OpCode::kPow>(op);
    const TensorIndex x = op.inputs[0], y = op.inputs[1];
    Formula f(b_, type, output(op).shape.size());
    if (all_values(input(op, 0), [](double base) { return base > 0; })) {
        if (type != DType::kFp32) return lower_plain<OpCode::kPow>(op);
        return b_.add(OpCode::kIdentity, NoAttributes{}, {precise_power(f, x, y)}, op.outputs);
    }
    const bool y_is_positive = all_values(input(op, 1), [](double value) { return value > 0; });
    const bool y_is_integer =
        all_values(input(op, 1), [](double value) { return value == std::floor(value); });
    const bool y_is_even =
        all_values(input(op, 1), [](double value) { return std::remainder(value, 2.0) == 0.0; });
    const TensorIndex zero = f.number(0.0, "zero");
    TensorIndex magnitude = f.unary(OpCode::kAbs, x, "magnitude");
    TensorIndex at_zero = 0, below = 0;
    if (!y_is_positive) {
        at_zero = f.test(OpCode::kEqual, x, zero, "at_zero");
        const TensorIndex none = f.test(OpCode::kGreaterEqual, zero, y, "y_not_positive");
        const TensorIndex is_open = f.test(OpCode::kLogicalAnd, at_zero, none, "is_open");
        magnitude = f.select(is_open, f.number(1.0, "one"), magnitude, "base");
        below = f.test(OpCode::kGreater, zero, y, "y_negative");
    }
    TensorIndex result = type == DType::kFp32 ? precise_power(f, magnitude, y)
                                              : f.binary(OpCode::kPow, magnitude, y, "power");
    if (!y_is_positive) {
        const TensorIndex pole = f.test(OpCode::kLogicalAnd, at_zero, below, "is_pole");
        const double infinity = std::numeric_limits<double>::infinity();
        result = f.select(pole, f.number(infinity, "infinity"), result, "with_poles");
    }
    const TensorIndex is_negative = f.test(OpCode::kGreater, zero, x, "x_negative");
    const auto finish = [&](TensorIndex condition, TensorIndex value, TensorIndex otherwise) {
        b_.add(OpCode::kSelect, NoAttributes{}, {condition, value, otherwise}, op.outputs);
    };
    if (y_is_even) return b_.add(OpCode::kIdentity, NoAttributes{}, {result}, op.outputs);
    const TensorIndex half = f.product(y, f.number(0.5, "half"), "half_y");
    TensorIndex is_mirrored =
        f.unary(OpCode::kLogicalNot,
                f.test(OpCode::kEqual, f.unary(OpCode::kFloor, half, "floor_half"), half, "y_even"),
                "y_odd");
    const TensorIndex is_below_zero = f.test(
        OpCode::kGreater, zero, f.unary(OpCode::kReciprocal, x, "reciprocal"), "x_minus_zero");
    const TensorIndex has_sign =
        f.test(OpCode::kLogicalOr, is_negative, is_below_zero, "x_has_sign");
    is_mirrored = f.test(OpCode::kLogicalAnd, is_mirrored, has_sign, "is_mirrored");
    const TensorIndex minus = f.negative(result, "minus");
    if (y_is_integer) return finish(is_mirrored, minus, result);
    const TensorIndex is_broken = f.unary(
        OpCode::kLogicalNot,
        f.test(OpCode::kEqual, f.unary(OpCode::kFloor, y, "floor_y"), y, "y_whole"), "y_broken");
    is_mirrored =
        f.test(OpCode::kLogicalAnd, is_mirrored,
               f.unary(OpCode::kLogicalNot, is_broken, "y_not_broken"), "is_mirrored_whole");
    const double nan = std::numeric_limits<double>::quiet_NaN();
    finish(f.test(OpCode::kLogicalAnd, is_negative, is_broken, "is_undefined"),
           f.number(nan, "nan"), f.select(is_mirrored, minus, result, "with_sign"));
}

}  // namespace okksim::sim::graph
