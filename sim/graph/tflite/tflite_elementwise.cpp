// SPDX-License-Identifier: Apache-2.0
// Element-wise operators of two or more operands.
#include <algorithm>
#include <array>
#include <cmath>
#include <optional>

#include "sim/graph/compose/float_functions.h"
#include "sim/graph/compose/integer_functions.h"
#include "sim/graph/tflite/tflite_lowering.h"
#include "sim/graph/tflite/tflite_numbers.h"

namespace okksim::sim::graph::tflite {

namespace {

Activation activation_of(const Call& call) {
    switch (call.number) {
        case kAdd: return call.options<wire::AddOptions>().activation();
        case kSub: return call.options<wire::SubOptions>().activation();
        case kMul: return call.options<wire::MulOptions>().activation();
        default: return call.options<wire::DivOptions>().activation();
    }
}

/// Returns log2 of a scale, if it is a whole number.
std::optional<int> power_of(double scale) {
    int exponent = 0;
    if (std::frexp(scale, &exponent) != 0.5) return std::nullopt;
    return exponent - 1;
}

/// The default of the schema counts for options, not for an operator without options.
bool allows_shifts(const Call& call) {
    const auto* add = call.op.builtin_options_as<wire::AddOptions>();
    const auto* sub = call.op.builtin_options_as<wire::SubOptions>();
    return (add != nullptr && add->pot_scale_int16()) || (sub != nullptr && sub->pot_scale_int16());
}

/// True if the operands of a sum are the result's scale times 2^-n, and at most one n is not 0.
bool has_shifts(const Call& call) {
    constexpr int kMostBits = 15;
    const auto output = power_of(call.output().scale());
    const auto x = power_of(call.input(0).scale()), y = power_of(call.input(1).scale());
    if (!output || !x || !y || !allows_shifts(call)) return false;
    const int less = *output - std::min(*x, *y), more = *output - std::max(*x, *y);
    return more == 0 && less >= 0 && less <= kMostBits;
}

/// Sums and products of bytes have no meaning without scales.
bool is_arithmetic_of_integers(const Value& value) {
    if (!value.is_plain_integer()) return false;
    if (value.type == TensorType::INT8 || value.type == TensorType::UINT8) {
        throw UnsupportedPart("arithmetic of " + type_name(value.type) + " without scales");
    }
    return true;
}

}  // namespace

TensorIndex Lowering::scaled_operand(Value& value, int bits, double scale) {
    return t_.rescaled(t_.shifted(t_.centred(value), bits), scale, DType::kI32);
}

// Both operands get a common scale with 20 more bits (INT16: 15), so that the sum is exact.
TensorIndex Lowering::quantised_sum(const Call& call, OpCode op) {
    Value& x = call.input(0);
    Value& y = call.input(1);
    const Value& output = call.output();
    const int bits = output.type == TensorType::INT16 ? 15 : 20;
    const double common = 2 * std::max(x.scale(), y.scale());
    const TensorIndex sum = ops_.binary(op, scaled_operand(x, bits, x.scale() / common),
                                        scaled_operand(y, bits, y.scale() / common), "sum");
    return t_.rescaled(sum, common / (static_cast<double>(1 << bits) * output.scale()),
                       output.device(), {0, output.zero()});
}

// INT16 with scales that are powers of two: shifts only, if the file allows it.
TensorIndex Lowering::shifted_sum(const Call& call, OpCode op) {
    const int output = *power_of(call.output().scale());
    const auto operand = [&](std::size_t n) {
        Value& value = call.input(n);
        const int bits = output - *power_of(value.scale());
        return bits == 0 ? t_.centred(value) : t_.divided(t_.centred(value), bits, DType::kI32);
    };
    return t_.rescaled(ops_.binary(op, operand(0), operand(1), "sum"), 1.0, DType::kI16);
}

void Lowering::add_or_sub(const Call& call) {
    check_broadcast(call);
    const OpCode op = call.number == kAdd ? OpCode::kAdd : OpCode::kSub;
    const Activation activation = activation_of(call);
    if (is_quantised(call)) {
        const bool shifts = call.output().type == TensorType::INT16 && has_shifts(call);
        return give(call, t_.activated(shifts ? shifted_sum(call, op) : quantised_sum(call, op),
                                       call.output(), activation));
    }
    if (is_arithmetic_of_integers(call.output())) {
        const TensorIndex x = t_.of(call.input(0)), y = t_.of(call.input(1));
        const TensorIndex sum = op == OpCode::kAdd ? compose::integer_add(ops_, x, y)
                                                   : compose::integer_subtract(ops_, x, y);
        return give(call, t_.activated(sum, call.output(), activation));
    }
    in_reals(call, ops_.binary(op, t_.real(call.input(0)), t_.real(call.input(1)), "sum"),
             activation);
}

void Lowering::mul(const Call& call) {
    check_broadcast(call);
    Value& x = call.input(0);
    Value& y = call.input(1);
    const Value& output = call.output();
    const Activation activation = activation_of(call);
    if (is_quantised(call)) {
        const TensorIndex product = ops_.product(t_.centred(x), t_.centred(y), "product");
        const TensorIndex result = t_.rescaled(product, x.scale() * y.scale() / output.scale(),
                                               output.device(), {0, output.zero()});
        return give(call, t_.activated(result, output, activation));
    }
    if (is_arithmetic_of_integers(output)) {
        const TensorIndex product = compose::integer_multiply(ops_, t_.of(x), t_.of(y));
        return give(call, t_.activated(product, output, activation));
    }
    in_reals(call, ops_.product(t_.real(x), t_.real(y), "product"), activation);
}

void Lowering::div(const Call& call) {
    check_broadcast(call);
    Value& x = call.input(0);
    Value& y = call.input(1);
    if (is_arithmetic_of_integers(call.output())) {
        const TensorIndex quotient = compose::integer_divide(ops_, t_.of(x), t_.of(y));
        return give(call, t_.activated(quotient, call.output(), activation_of(call)));
    }
    in_reals(call, compose::divide(ops_, t_.real(x), t_.real(y)), activation_of(call));
}

void Lowering::squared_difference(const Call& call) {
    check_broadcast(call);
    Value& x = call.input(0);
    Value& y = call.input(1);
    const Value& output = call.output();
    if (is_quantised(call) && output.type != TensorType::INT16) {
        constexpr int kBits = 7;
        const double common = 2 * std::max(x.scale(), y.scale());
        const TensorIndex difference =
            ops_.binary(OpCode::kSub, scaled_operand(x, kBits, x.scale() / common),
                        scaled_operand(y, kBits, y.scale() / common), "difference");
        const TensorIndex square = ops_.product(difference, difference, "square");
        const double scale =
            common * common / (static_cast<double>(1 << (2 * kBits)) * output.scale());
        return give(call, t_.rescaled(square, scale, output.device(), {0, output.zero()}));
    }
    if (output.is_plain_integer()) {
        const TensorIndex difference = ops_.binary(OpCode::kSub, t_.of(x), t_.of(y), "difference");
        return give(call, ops_.product(difference, difference, "square"));
    }
    in_reals(call, compose::square(
                       ops_, ops_.binary(OpCode::kSub, t_.real(x), t_.real(y), "difference")));
}

void Lowering::extremum(const Call& call) {
    check_broadcast(call);
    const Value& output = call.output();
    const OpCode op = call.number == kMaximum ? OpCode::kMaximum : OpCode::kMinimum;
    if (output.is_real()) {
        const TensorIndex x = t_.real(call.input(0)), y = t_.real(call.input(1));
        return in_reals(call, ops_.binary(op, x, y, "extremum"));
    }
    std::array<TensorIndex, 2> operands{};
    for (std::size_t n = 0; n < 2; ++n) {
        Value& value = call.input(n);
        operands[n] = ops_.cast(requantised(t_.of(value), value, output), DType::kI32, "wide");
    }
    const TensorIndex result = ops_.binary(op, operands[0], operands[1], "extremum");
    give(call, ops_.cast(result, output.device(), "narrow"));
}

void Lowering::add_n(const Call& call) {
    check_broadcast(call);
    const bool is_integer = call.output().is_plain_integer();
    const auto operand = [&](std::size_t n) {
        return is_integer ? t_.of(call.input(n)) : t_.real(call.input(n));
    };
    TensorIndex sum = operand(0);
    for (std::size_t n = 1; n < call.inputs.size(); ++n) {
        sum = ops_.binary(OpCode::kAdd, sum, operand(n), "sum");
    }
    is_integer ? give(call, sum) : in_reals(call, sum);
}

// The reference compares quantised numbers at 8 fraction bits of the scale.
void Lowering::comparison(const Call& call) {
    check_broadcast(call);
    Value& x = call.input(0);
    Value& y = call.input(1);
    const bool swaps = call.number == kLess || call.number == kLessEqual;
    const OpCode op = call.number == kEqual || call.number == kNotEqual ? OpCode::kEqual
                      : call.number == kGreater || call.number == kLess ? OpCode::kGreater
                                                                        : OpCode::kGreaterEqual;
    const auto operand = [&](Value& value) {
        constexpr int kBits = 8;
        if (value.is_real()) return t_.real(value);
        if (value.is_quantised() && value.type != TensorType::INT16) {
            return scaled_operand(value, kBits, value.scale());
        }
        return value.is_quantised() ? t_.real(value) : ops_.cast(t_.of(value), DType::kI32, "wide");
    };
    const TensorIndex a = operand(x), b = operand(y);
    if (ops_.type(a) != ops_.type(b)) {
        call.illegal("input " + y.name, type_name(y.type),
                     "the operands have one type, here " + type_name(x.type));
    }
    const TensorIndex result = t_.test(op, swaps ? b : a, swaps ? a : b, "compared");
    give(call,
         call.number == kNotEqual ? ops_.unary(OpCode::kLogicalNot, result, "differs") : result);
}

void Lowering::logical(const Call& call) {
    check_broadcast(call);
    if (call.input(0).type != TensorType::BOOL) {
        call.illegal("input 0", type_name(call.input(0).type), "the operands are BOOL");
    }
    const TensorIndex x = t_.of(call.input(0));
    if (call.number == kLogicalNot) return give(call, ops_.unary(OpCode::kLogicalNot, x, "not"));
    const OpCode op = call.number == kLogicalAnd ? OpCode::kLogicalAnd : OpCode::kLogicalOr;
    give(call, ops_.binary(op, x, t_.of(call.input(1)), "both"));
}

void Lowering::select(const Call& call) {
    Value& condition = call.input(0);
    const Value& output = call.output();
    if (condition.type != TensorType::BOOL) {
        call.illegal("condition", type_name(condition.type), "the condition is BOOL");
    }
    TensorIndex chosen = t_.of(condition);
    if (call.number == kSelect && condition.rank() == 1 && call.input(1).rank() > 1) {
        Shape shape(call.input(1).rank(), 1);  // the condition chooses rows
        shape[0] = condition.shape[0];
        chosen = ops_.reshape(chosen, shape, "rows");
    } else {
        check_broadcast(call);
    }
    std::array<TensorIndex, 2> operands{};
    for (std::size_t n = 0; n < 2; ++n) {
        Value& value = call.input(n + 1);
        operands[n] = requantised(t_.of(value), value, output);
    }
    give(call, t_.select(chosen, operands[0], operands[1], "selected"));
}

}  // namespace okksim::sim::graph::tflite
