// SPDX-License-Identifier: Apache-2.0
// LeakyRelu and PRelu.
#include <cmath>
#include <numeric>
#include <optional>

#include "sim/graph/xmodel/xmodel_lowering.h"

namespace okksim::sim::graph::xmodel {

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

TensorIndex Lowering::wide_product(const ElementType& type, TensorIndex x, TensorIndex y) {
    const std::size_t count = type.bytes();
    const std::vector<TensorIndex> a = digits_.split(type, x, false);
    const std::vector<TensorIndex> b = digits_.split(type, y, false);
    std::vector<TensorIndex> sums;
    for (std::size_t place = 0; place < count; ++place) {
        std::optional<TensorIndex> sum;
        for (std::size_t i = 0; i <= place; ++i) {
            const TensorIndex term =
                ops_.product(ops_.cast(a[i], DType::kI32, "digit"),
                             ops_.cast(b[place - i], DType::kI32, "digit"), "digit_product");
            sum = sum ? ops_.binary(OpCode::kAdd, *sum, term, "digit_sum") : term;
        }
        sums.push_back(*sum);
    }
    return digits_.join(type, sums);
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
    if (!input.type.is_float() && !input.type.is_integer()) {
        throw UnsupportedPart("PRelu of " + input.type.name(), true);
    }
    // The low 32 bits of the product of two integers are exact.
    const bool is_narrow = input.type.is_integer() && !input.type.is_wide();
    result.shape = input.shape;
    // In the XIR vocabulary, the channels are the last dimension of the declared order.
    const Aligned operand =
        call.is_oplib() ? aligned({&input}) : Aligned{false, {tensors_.declared(input)}};
    if (input.type.is_wide()) {
        Shape shape(input.rank(), 1);
        shape[operand.is_channels_last ? 3 : channel] = count;
        const TensorIndex alpha =
            tensors_.reshape(input.type, tensors_.declared(*call.weights), shape, "alpha");
        const TensorIndex x = operand.tensors[0];
        const TensorIndex below = wide_product(input.type, x, alpha);
        const TensorIndex high = digits_.word(x, 1);
        const TensorIndex is_positive = ops_.test(
            OpCode::kGreaterEqual, high, ops_.number(DType::kI32, input.rank(), 0), "is_positive");
        const auto chosen = [&](int word) {
            return ops_.select(is_positive, digits_.word(x, word), digits_.word(below, word),
                               "parametric");
        };
        return set_aligned(operand, result, digits_.pair(chosen(0), chosen(1)));
    }
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
