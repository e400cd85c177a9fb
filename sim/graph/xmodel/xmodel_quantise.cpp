// SPDX-License-Identifier: Apache-2.0
// fix, float2fix and fix2float of quantised files: conversions between real and fixed-point
// numbers.
#include <cmath>

#include "sim/graph/xmodel/xmodel_lowering.h"

namespace okksim::sim::graph::xmodel {

namespace {

/// The integers of a quantising operator.
struct Steps {
    int fix_point = 0;
    double low = 0, high = 0;
};

Steps read_steps(const NodeView& node, const Value& result) {
    const auto whole = [&](const char* key, std::int64_t otherwise) {
        const Attribute* value = node.output_attribute(key);
        const auto stated = value != nullptr ? integer_of(*value) : std::nullopt;
        return node.integer(key, stated.value_or(otherwise));
    };
    if (!node.has("fix_point") && !result.fix_point) {
        node.illegal("fix_point", "missing", "the operator has a fix_point");
    }
    const std::int64_t point = whole("fix_point", 0), bits = whole("bit_width", 8);
    if (point < -64 || point > 64 || bits < 2 || bits > 16) {
        node.illegal("fix_point", std::to_string(point) + " of " + std::to_string(bits) + " bits",
                     "fix_point is -64 to 64, bit_width 2 to 16");
    }
    const bool is_signed = whole("if_signed", 1) != 0;
    const double range = std::ldexp(1.0, static_cast<int>(bits) - (is_signed ? 1 : 0));
    return {static_cast<int>(point), is_signed ? -range : 0.0, range - 1};
}

}  // namespace

// FLOOR leaves an exact remainder; at a half, the mode decides.
TensorIndex Lowering::rounded(TensorIndex x, Rounding rounding) {
    const DType type = ops_.type(x);
    const auto number = [&](double value) { return ops_.number(type, ops_.rank(x), value); };
    const bool is_mirrored = rounding == Rounding::kHalfAway;
    const TensorIndex from = is_mirrored ? ops_.unary(OpCode::kAbs, x, "magnitude") : x;
    const TensorIndex low = ops_.unary(OpCode::kFloor, from, "low");
    const TensorIndex rest = ops_.binary(OpCode::kSub, from, low, "rest");
    TensorIndex goes_up = ops_.test(OpCode::kGreaterEqual, rest, number(0.5), "goes_up");
    if (rounding == Rounding::kHalfEven) {
        const TensorIndex half = ops_.product(low, number(0.5), "half");
        const TensorIndex even = ops_.unary(OpCode::kFloor, half, "half_low");
        const TensorIndex is_odd = ops_.test(OpCode::kGreater, half, even, "is_odd");
        const TensorIndex is_above = ops_.test(OpCode::kGreater, rest, number(0.5), "is_above");
        goes_up = ops_.select(is_odd, goes_up, is_above, "goes_up");
    }
    const TensorIndex next = ops_.binary(OpCode::kAdd, low, number(1), "next");
    const TensorIndex whole = ops_.select(goes_up, next, low, "rounded");
    if (!is_mirrored) return whole;
    const TensorIndex negative = ops_.binary(OpCode::kSub, number(0), whole, "negative");
    const TensorIndex is_below = ops_.test(OpCode::kGreater, number(0), x, "is_below");
    return ops_.select(is_below, negative, whole, "signed");
}

void Lowering::fake_quantise(const Call& call, Value& result) {
    Value& input = call.input();
    require_arithmetic(input);
    if (!input.type.is_float()) {
        call.node.illegal("input " + input.name, input.type.name(), "the input is floating point");
    }
    const Steps steps = read_steps(call.node, result);
    if (const std::string mode = call.node.text("round_mode", ""); !mode.empty()) {
        result.rounding = rounding_of(call.node, mode);
    }
    result.shape = input.shape;
    const Aligned operand = aligned({&input});
    TensorIndex x = ops_.cast(operand.tensors[0], DType::kFp32, "widened");
    const auto power = [&](int exponent) {
        return ops_.number(DType::kFp32, input.rank(), std::ldexp(1.0, exponent));
    };
    x = ops_.product(x, power(steps.fix_point), "steps");
    x = ops_.clamp(rounded(x, result.rounding), steps.low, steps.high, "limited");
    x = ops_.product(x, power(-steps.fix_point), "value");
    set_aligned(operand, result, ops_.cast(x, input.type.device_type(), "narrowed"));
}

void Lowering::quantise(const Call& call, Value& result) {
    const Steps steps = read_steps(call.node, result);
    if (steps.low < -128 || steps.high > 127) {
        throw UnsupportedPart("unsigned integers, or more than 8 bits", true);
    }
    fake_quantise(call, result);
    result.type = {ElementKind::kFixed, 8};
    result.fix_point = steps.fix_point;
    std::optional<TensorIndex>& tensor = result.declared ? result.declared : result.channels_last;
    const TensorIndex real = ops_.cast(*tensor, DType::kFp32, "widened");
    const TensorIndex scale =
        ops_.number(DType::kFp32, ops_.rank(real), std::ldexp(1.0, steps.fix_point));
    tensor = ops_.cast(ops_.product(real, scale, "integers"), DType::kI8, "quantised");
}

void Lowering::dequantise(const Call& call, Value& result) {
    Value& input = call.input();
    require_arithmetic(input);
    if (!input.type.is_fixed()) {
        call.node.illegal("input " + input.name, input.type.name(), "the input is fixed-point");
    }
    const int point = fix_point(call, input);
    result.type = {ElementKind::kFloat, 32};
    result.shape = input.shape;
    const Aligned operand = aligned({&input});
    const TensorIndex real = ops_.cast(operand.tensors[0], DType::kFp32, "real");
    const TensorIndex step = ops_.number(DType::kFp32, input.rank(), std::ldexp(1.0, -point));
    set_aligned(operand, result, ops_.product(real, step, "value"));
}

}  // namespace okksim::sim::graph::xmodel
