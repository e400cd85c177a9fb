// SPDX-License-Identifier: Apache-2.0
// Eltwise and the activations.
#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <limits>
#include <numeric>

#include "sim/graph/xmodel/xmodel_lowering.h"

namespace okksim::sim::graph::xmodel {

Lowering::Aligned Lowering::aligned(const std::vector<Value*>& values) {
    const Value& first = *values[0];
    Aligned result;
    const bool is_same_rank = std::all_of(values.begin(), values.end(),
                                          [](const Value* value) { return value->rank() == 4; });
    result.is_channels_last = is_same_rank && first.channels_last && !first.declared;
    for (Value* value : values) {
        result.tensors.push_back(result.is_channels_last ? tensors_.channels_last(*value)
                                                         : tensors_.declared(*value));
    }
    return result;
}

void Lowering::set_aligned(const Aligned& operands, Value& result, TensorIndex tensor) {
    (operands.is_channels_last ? result.channels_last : result.declared) = tensor;
}

void Lowering::eltwise(const Call& call, Value& result) {
    const Value& first = call.input();
    require_arithmetic(first);
    if (first.type.is_fixed()) return fixed_eltwise(call, result);
    const std::string kind = call.node.text("type", "ADD");
    if (kind != "ADD") throw UnsupportedPart("eltwise of type " + kind, false);
    std::vector<std::int64_t> alpha(call.inputs.size(), 1);
    if (call.is_oplib()) {
        alpha = call.node.integers("alpha").value_or(alpha);
        if (alpha.empty()) alpha.assign(call.inputs.size(), 1);
    }
    if (alpha.size() != call.inputs.size()) {
        call.node.illegal("alpha", list_text(alpha),
                          "alpha has a value per input, " + std::to_string(call.inputs.size()));
    }
    result.shape = joint_shape(call);
    const Aligned operands = aligned(call.inputs);
    if (first.type.is_integer()) {
        return set_aligned(operands, result, scaled_sum(first, operands.tensors, alpha));
    }
    std::optional<TensorIndex> sum;
    for (std::size_t i = 0; i < alpha.size(); ++i) {
        TensorIndex term = operands.tensors[i];
        const bool is_difference = sum && alpha[i] == -1;
        if (alpha[i] != 1 && !is_difference) {
            const auto factor = static_cast<double>(alpha[i]);
            term =
                ops_.product(term, ops_.number(ops_.type(term), ops_.rank(term), factor), "scaled");
        }
        const OpCode op = is_difference ? OpCode::kSub : OpCode::kAdd;
        sum = sum ? ops_.binary(op, *sum, term, "sum") : term;
    }
    set_aligned(operands, result, *sum);
}

Shape Lowering::joint_shape(const Call& call) {
    Shape shape = call.input().shape;
    for (const Value* value : call.inputs) {
        require_type(call, *value, "input");
        if (value->shape == shape) continue;
        // XIR files broadcast dimensions of 1.
        bool fits = !call.is_oplib();
        const std::size_t rank = std::max(shape.size(), value->rank());
        Shape wanted(rank, 1);
        for (std::size_t i = 0; i < rank && fits; ++i) {
            const auto at = [&](const Shape& of) {
                return i + of.size() < rank ? 1 : of[i + of.size() - rank];
            };
            const std::int64_t a = at(shape), b = at(value->shape);
            fits = a == b || a == 1 || b == 1;
            wanted[i] = std::max(a, b);
        }
        if (!fits) {
            call.node.illegal("input " + value->name, shape_text(value->shape),
                              "the shapes match, here " + shape_text(shape));
        }
        shape = wanted;
    }
    return shape;
}

TensorIndex Lowering::scaled_sum(const Value& value, const std::vector<TensorIndex>& inputs,
                                 const std::vector<std::int64_t>& alpha) {
    constexpr std::int64_t kRoom = std::int64_t{1} << 31;
    const std::int64_t magnitude =
        std::accumulate(alpha.begin(), alpha.end(), std::int64_t{0},
                        [](std::int64_t sum, std::int64_t a) { return sum + std::abs(a); });
    const int bits = value.type.bits;
    if (bits > 16 || magnitude >= kRoom >> (bits - 1)) return wide_sum(value, inputs, alpha);
    std::optional<TensorIndex> sum;
    for (std::size_t i = 0; i < alpha.size(); ++i) {
        TensorIndex term = ops_.cast(inputs[i], DType::kI32, "widened");
        if (alpha[i] != 1) {
            const auto factor = static_cast<double>(alpha[i]);
            term = ops_.product(term, ops_.number(DType::kI32, ops_.rank(term), factor), "scaled");
        }
        sum = sum ? ops_.binary(OpCode::kAdd, *sum, term, "sum") : term;
    }
    return ops_.cast(*sum, value.type.device_type(), "narrowed");
}

// Partial sums may overflow the type although the total does not, so sums are computed digit by
// digit.
TensorIndex Lowering::wide_sum(const Value& value, const std::vector<TensorIndex>& inputs,
                               const std::vector<std::int64_t>& alpha) {
    const std::size_t count = value.type.bytes();
    std::vector<std::optional<TensorIndex>> sums(count);
    for (std::size_t n = 0; n < inputs.size(); ++n) {
        const std::vector<TensorIndex> digits = digits_.split(value.type, inputs[n], false);
        std::int64_t rest = alpha[n];
        for (std::size_t j = 0; j < count; ++j) {
            const auto digit = static_cast<std::int8_t>(static_cast<std::uint64_t>(rest) & 0xFF);
            rest = (rest >> 8) + (digit < 0 ? 1 : 0);
            // The lowest digit stays even if it is zero, so that every sum has a term.
            if (digit == 0 && j > 0) continue;
            for (std::size_t i = 0; i + j < count; ++i) {
                TensorIndex term = ops_.cast(digits[i], DType::kI32, "digit");
                if (digit != 1) {
                    term = ops_.product(term, ops_.number(DType::kI32, ops_.rank(term), digit),
                                        "scaled");
                }
                std::optional<TensorIndex>& sum = sums[i + j];
                sum = sum ? ops_.binary(OpCode::kAdd, *sum, term, "digit_sum") : term;
            }
        }
    }
    std::vector<TensorIndex> all;
    for (const std::optional<TensorIndex>& sum : sums) all.push_back(*sum);
    return digits_.join(value.type, all);
}

void Lowering::fixed_eltwise(const Call& call, Value& result) {
    require_arithmetic(call.input());
    const std::string kind = call.node.text("type", "ADD");
    if (kind != "ADD" && kind != "MUL") throw UnsupportedPart("eltwise of type " + kind, false);
    if (const auto alpha = call.node.integers("alpha")) {
        for (const std::int64_t value : *alpha) {
            if (value != 1) throw UnsupportedPart("alpha of fixed-point numbers", false);
        }
    }
    result.shape = joint_shape(call);
    const Aligned operands = aligned(call.inputs);
    int point = kind == "ADD" ? fix_point(call, call.input()) : 0;
    for (const Value* value : call.inputs) {
        const int own = fix_point(call, *value);
        point = kind == "ADD" ? std::max(point, own) : point + own;
    }
    std::optional<TensorIndex> sum;
    std::int64_t bound = kind == "ADD" ? 0 : 1;
    for (std::size_t i = 0; i < call.inputs.size(); ++i) {
        TensorIndex term = ops_.cast(operands.tensors[i], DType::kI32, "widened");
        const int up = kind == "ADD" ? point - fix_point(call, *call.inputs[i]) : 0;
        if (up > 22) throw UnsupportedPart("fix_points that differ by more than 22", false);
        if (up > 0) {
            const TensorIndex bits = ops_.number(DType::kI32, ops_.rank(term), up);
            term = ops_.binary(OpCode::kLogicalLeftShift, term, bits, "aligned");
        }
        bound = kind == "ADD" ? bound + (std::int64_t{128} << up) : bound << 7;
        if (bound >= std::int64_t{1} << 31) {
            throw UnsupportedPart("eltwise with this number of fixed-point inputs", false);
        }
        if (!sum) {
            sum = term;
        } else {
            sum = kind == "ADD" ? ops_.binary(OpCode::kAdd, *sum, term, "sum")
                                : ops_.product(*sum, term, "product");
        }
    }
    const int out_point = fix_point(call, result);
    const int cut = point - out_point;
    if (cut < -16) throw UnsupportedPart("fix_points that differ by more than 16", false);
    const TensorIndex scaled = fixed_.scaled(*sum, cut, result.rounding, bound);
    set_aligned(operands, result, fixed_.activated(call.node, scaled, out_point, result.rounding));
}

// The high word of 64-bit elements has the sign.
TensorIndex Lowering::clamped_wide(TensorIndex x, std::optional<int> top) {
    TensorIndex low = digits_.word(x, 0), high = digits_.word(x, 1);
    const TensorIndex zero = ops_.number(DType::kI32, ops_.rank(low), 0);
    const TensorIndex is_positive = ops_.test(OpCode::kGreaterEqual, high, zero, "is_positive");
    if (top) {
        const TensorIndex limit = ops_.number(DType::kI32, ops_.rank(low), *top);
        const TensorIndex is_large = ops_.test(OpCode::kGreater, high, zero, "is_large");
        const TensorIndex beyond = ops_.test(OpCode::kGreater, low, limit, "low_beyond");
        const TensorIndex far = ops_.test(OpCode::kGreater, zero, low, "low_far");
        const auto either = [&](TensorIndex a, TensorIndex b) {
            return ops_.block().add(OpCode::kLogicalOr, NoAttributes{}, {a, b}, DType::kBool,
                                    ops_.shape(a), "either");
        };
        low = ops_.select(either(is_large, either(beyond, far)), limit, low, "limited");
        high = ops_.select(is_large, zero, high, "limited_high");
    }
    return digits_.pair(ops_.select(is_positive, low, zero, "low"),
                        ops_.select(is_positive, high, zero, "high"));
}

void Lowering::clamp_values(const Call& call, Value& result, std::optional<int> top) {
    Value& input = call.input();
    require_arithmetic(input);
    result.shape = input.shape;
    const Aligned operand = aligned({&input});
    TensorIndex x = operand.tensors[0];
    const ElementType& type = input.type;
    if (type.is_wide()) return set_aligned(operand, result, clamped_wide(x, top));
    if (type.bits == 32 && type.is_integer()) {
        x = ops_.binary(OpCode::kMaximum, x, ops_.number(DType::kI32, input.rank(), 0), "positive");
        if (top) {
            x = ops_.binary(OpCode::kMinimum, x, ops_.number(DType::kI32, input.rank(), *top),
                            "limited");
        }
        return set_aligned(operand, result, x);
    }
    double most = type.is_float() ? std::numeric_limits<double>::infinity()
                                  : std::ldexp(1.0, type.bits - 1) - 1;
    if (top && type.is_fixed()) {
        const int point = std::min(fix_point(call, input), 16);
        // With a step above 1, the limit 6 is between two numbers and would need rounding
        // afterwards.
        if (point < 0) throw UnsupportedPart("RELU6 of numbers without a fraction", false);
        most = std::min(most, std::ldexp(*top, point));
    } else if (top) {
        most = *top;
    }
    x = ops_.clamp(x, 0, most, "clamped");
    if (type.is_fixed()) {
        x = fixed_.moved(x, fix_point(call, input), fix_point(call, result), result.rounding);
    }
    set_aligned(operand, result, x);
}

void Lowering::relu(const Call& call, Value& result) { clamp_values(call, result, std::nullopt); }

void Lowering::relu6(const Call& call, Value& result) { clamp_values(call, result, 6); }

// For alpha <= 1, the result is max(x, alpha x); for a larger alpha it is min(x, alpha x).
void Lowering::leaky_relu(const Call& call, Value& result) {
    Value& input = call.input();
    require_arithmetic(input);
    const auto alpha = static_cast<double>(static_cast<float>(call.node.real("alpha", 0.01)));
    if (!(alpha > 0)) {
        call.node.illegal("alpha", std::to_string(alpha), "alpha is positive");
    }
    const bool is_whole = alpha == std::floor(alpha) && alpha < 1e6;
    if (!input.type.is_float() && !(input.type.is_integer() && is_whole)) {
        throw UnsupportedPart("LeakyRelu of " + input.type.name(), true);
    }
    result.shape = input.shape;
    const Aligned operand = aligned({&input});
    const TensorIndex x = operand.tensors[0];
    if (input.type.is_integer()) {  // alpha x + (1 - alpha) max(x, 0)
        Value positive = result;
        relu(call, positive);
        const TensorIndex above =
            operand.is_channels_last ? *positive.channels_last : *positive.declared;
        const auto slope = static_cast<std::int64_t>(alpha);
        return set_aligned(operand, result, scaled_sum(input, {x, above}, {slope, 1 - slope}));
    }
    const TensorIndex scaled =
        ops_.product(x, ops_.number(ops_.type(x), input.rank(), alpha), "scaled");
    const OpCode op = alpha <= 1 ? OpCode::kMaximum : OpCode::kMinimum;
    set_aligned(operand, result, ops_.binary(op, x, scaled, "leaky"));
}

// max(x, 0) + alpha min(x, 0): one of the two is zero.
void Lowering::prelu(const Call& call, Value& result) {
    Value& input = call.input();
    require_arithmetic(input);
    require_type(call, *call.weights, "weight");
    const std::size_t channel = call.is_oplib() ? 1 : input.rank() - 1;
    if (input.rank() <= channel) {
        call.node.illegal("input", shape_text(input.shape), "the input has channels");
    }
    const std::int64_t channels = input.shape[channel];
    const auto count = static_cast<std::int64_t>(element_count(call.weights->shape).value_or(0));
    if (count != 1 && count != channels) {
        call.node.illegal("weight", shape_text(call.weights->shape),
                          "alpha has one value, or one per channel, " + std::to_string(channels));
    }
    const bool is_narrow = input.type.is_integer() && input.type.bits <= 16;
    if (!input.type.is_float() && !is_narrow) {
        throw UnsupportedPart("PRelu of " + input.type.name(), true);
    }
    result.shape = input.shape;
    // In the XIR vocabulary, the channels are the last dimension of the declared order.
    const Aligned operand =
        call.is_oplib() ? aligned({&input}) : Aligned{false, {tensors_.declared(input)}};
    const DType type = is_narrow ? DType::kI32 : ops_.type(operand.tensors[0]);
    const TensorIndex x = ops_.cast(operand.tensors[0], type, "widened");
    Shape shape(input.rank(), 1);
    shape[operand.is_channels_last ? 3 : channel] = count;
    std::vector<std::int32_t> perms(shape.size());
    std::iota(perms.begin(), perms.end(), 0);
    const TensorIndex alpha = ops_.cast(
        tensors_.arranged(*call.weights, {shape, {}, perms}, "alpha"), type, "alpha_widened");
    const TensorIndex zero = ops_.number(type, input.rank(), 0);
    const TensorIndex above = ops_.binary(OpCode::kMaximum, x, zero, "above");
    const TensorIndex below = ops_.binary(OpCode::kMinimum, x, zero, "below");
    const TensorIndex scaled = ops_.product(below, alpha, "scaled");
    const TensorIndex sum = ops_.binary(OpCode::kAdd, above, scaled, "parametric");
    set_aligned(operand, result, ops_.cast(sum, input.type.device_type(), "narrowed"));
}

}  // namespace okksim::sim::graph::xmodel
