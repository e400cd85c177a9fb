// SPDX-License-Identifier: Apache-2.0
// Functions of two operands.
#include <algorithm>
#include <cmath>

#include "sim/graph/compose/float_functions.h"
#include "sim/graph/compose/integer_functions.h"
#include "sim/graph/tflite/tflite_lowering.h"
#include "sim/graph/tflite/tflite_numbers.h"

namespace okksim::sim::graph::tflite {

namespace {

/// atan2(y, x): the angle of |y| / |x| or its complement, in the quadrant of the signs.
TensorIndex angle(OperatorBuilder& ops, TensorIndex y, TensorIndex x) {
    const std::size_t rank = std::max(ops.rank(x), ops.rank(y));
    const auto number = [&](double value) { return ops.number(DType::kFp32, rank, value); };
    const TensorIndex zero = number(0);
    y = ops.binary(OpCode::kAdd, y, zero, "y");  // both have one rank
    x = ops.binary(OpCode::kAdd, x, zero, "x");
    const TensorIndex height = ops.unary(OpCode::kAbs, y, "height");
    const TensorIndex width = ops.unary(OpCode::kAbs, x, "width");
    const TensorIndex more = ops.binary(OpCode::kMaximum, height, width, "more");
    const TensorIndex less = ops.binary(OpCode::kMinimum, height, width, "less");
    // 0 / 0 is 0 here: the least number stands for a divisor of 0.
    const TensorIndex divisor = ops.binary(OpCode::kMaximum, more, number(0x1p-120), "positive");
    TensorIndex result = compose::atan(ops, compose::divide(ops, less, divisor));
    const auto mirrored = [&](TensorIndex test, double whole) {
        const TensorIndex other = ops.binary(OpCode::kSub, number(whole), result, "mirrored");
        result = ops.select(test, other, result, "part");
    };
    mirrored(ops.test(OpCode::kGreater, height, width, "is_steep"), M_PI_2);
    mirrored(ops.test(OpCode::kGreater, zero, x, "is_left"), M_PI);
    return ops.select(ops.test(OpCode::kGreater, zero, y, "is_below"),
                      compose::negative(ops, result), result, "angle");
}

}  // namespace

void Lowering::binary(const Call& call) {
    using Function = TensorIndex (*)(OperatorBuilder&, TensorIndex, TensorIndex);
    struct Row {
        std::int32_t number;
        Function integers;
        Function reals;
    };
    static constexpr Row kRows[] = {
        {kPow, &compose::integer_power, &compose::power},
        {kFloorMod, &compose::integer_floor_modulo, &compose::floor_modulo},
        {kFloorDiv, &compose::integer_floor_divide,
         [](OperatorBuilder& ops, TensorIndex x, TensorIndex y) {
             return ops.unary(OpCode::kFloor, compose::divide(ops, x, y), "whole");
         }},
        {kBitwiseXor,
         [](OperatorBuilder& ops, TensorIndex x, TensorIndex y) {
             return ops.binary(OpCode::kBitwiseXor, x, y, "xor");
         },
         nullptr},
        {kRightShift, &compose::shift_right_signed, nullptr},
        {kAtan2, nullptr, &angle},
    };
    check_broadcast(call);
    const Row* row = std::find_if(std::begin(kRows), std::end(kRows),
                                  [&](const Row& each) { return each.number == call.number; });
    Value& x = call.input(0);
    Value& y = call.input(1);
    const bool is_integer = call.output().is_plain_integer();
    if (is_integer ? row->integers == nullptr : row->reals == nullptr) {
        throw UnsupportedPart(type_name(x.type) + " operands", true);
    }
    if (is_integer && x.type == TensorType::UINT8) {
        const TensorIndex result = row->integers(ops_, t_.centred(x), t_.centred(y));
        return give(call, t_.rescaled(result, 1.0, DType::kI8, {0, -128}));
    }
    if (is_integer) return give(call, row->integers(ops_, t_.of(x), t_.of(y)));
    in_reals(call, row->reals(ops_, t_.real(x), t_.real(y)));
}

}  // namespace okksim::sim::graph::tflite
