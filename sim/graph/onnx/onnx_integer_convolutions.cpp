// SPDX-License-Identifier: Apache-2.0
// Convolutions of quantised feature maps.
#include <algorithm>

#include "sim/graph/compose/moves.h"
#include "sim/graph/onnx/onnx_convolutions.h"
#include "sim/graph/onnx/onnx_integer_sums.h"
#include "sim/graph/onnx/onnx_operators.h"

namespace okksim::sim::graph::onnx::lower {

namespace {

/// Positions of the operands of an integer convolution.
struct ConvolutionOperands {
    std::size_t x, x_zero, w, w_zero, bias;
};

/// Returns the quantisation of a zero point alone.
Quantisation zero_point_only(const Call& call, std::size_t at, std::size_t zero_at,
                             std::int64_t most) {
    const Value& x = call.input(at);
    require_bytes(call, x);
    Value* zero = call.optional_input(zero_at);
    Quantisation result{zero, zero, x.type};
    if (zero == nullptr) return result;
    const auto count = static_cast<std::int64_t>(element_count(zero->shape).value_or(0));
    call.require(zero->type == x.type && (count == 1 || count == most),
                 "input " + std::to_string(zero_at),
                 std::string(element_name(zero->type)) + " " + shape_text(zero->shape),
                 "the zero point is " + std::string(element_name(x.type)) + " with " +
                     (most == 1 ? "one element" : "one element or " + std::to_string(most)));
    return result;
}

std::int64_t absent_zero(const Quantisation& q) { return -device_offset(q.type); }

/// Returns a zero point at operand `at` as held i32.
TensorIndex zero_point_words(const Call& call, std::size_t at, const Shape& shape) {
    OperatorBuilder& ops = call.ops();
    const TensorIndex words = ops.cast(call.tensor(at), DType::kI32, "zero_point");
    return ops.reshape(words, shape, "zero_points");
}

/// Returns the zero points of the weights: one, or one per channel.
TensorIndex channel_zero_points(const Call& call, const ConvolutionOperands& at) {
    const auto count = element_count(call.input(at.w_zero).shape).value_or(1);
    return zero_point_words(call, at.w_zero, {static_cast<std::int64_t>(count)});
}

/// Subtracts what zero points of the single output channels add: each one times the sum of the
/// window's numbers.
TensorIndex without_channel_zeros(const Call& call, TensorIndex sums, TensorIndex x,
                                  const ConvolutionOperands& at, const compose::Windows& windows,
                                  const compose::ConvolutionOptions& options) {
    OperatorBuilder& ops = call.ops();
    const Shape& shape = call.input(at.w).shape;
    const std::vector<std::int64_t> all(static_cast<std::size_t>(element_count(shape).value_or(0)),
                                        1);
    const TensorIndex ones =
        compose::arranged_weights(ops, ops.block().constant(DType::kI8, shape, all, "ones"),
                                  compose::weights_layout(shape, options.groups));
    const TensorIndex window_sums =
        compose::convolution(ops, x, ones, std::nullopt, windows, options);
    const TensorIndex zeros = channel_zero_points(call, at);
    return ops.binary(OpCode::kSub, sums, ops.product(window_sums, zeros, "correction"),
                      "corrected");
}

/// Returns the sums of each output channel's held weights minus their zero point: i32 [O].
TensorIndex channel_sums(const Call& call, const ConvolutionOperands& at,
                         std::optional<std::int64_t> zero) {
    OperatorBuilder& ops = call.ops();
    const Value& w = call.input(at.w);
    const std::int64_t channels = w.shape[0];
    const auto size = static_cast<std::int64_t>(element_count(w.shape).value_or(0)) / channels;
    if (w.known && zero) {
        const std::vector<std::int64_t> weights = integers(*w.known);
        std::vector<std::int64_t> sums(static_cast<std::size_t>(channels), 0);
        for (std::size_t i = 0; i < weights.size(); ++i) {
            sums[i / static_cast<std::size_t>(size)] += weights[i] - device_offset(w.type) - *zero;
        }
        return ops.block().constant(DType::kI32, {channels}, sums, "weight_sums");
    }
    const TensorIndex rows = ops.reshape(call.tensor(at.w), {channels, size}, "channels");
    const TensorIndex sums = ops.reshape(
        ops.reduce_sum(ops.cast(rows, DType::kI32, "wide"), 1, "sums"), {channels}, "weight_sums");
    const TensorIndex count = ops.number(DType::kI32, 1, static_cast<double>(size));
    const TensorIndex zeros = zero ? ops.number(DType::kI32, 1, static_cast<double>(*zero))
                                   : channel_zero_points(call, at);
    return ops.binary(OpCode::kSub, sums, ops.product(zeros, count, "zero_sums"), "sums");
}

/// Pads with a zero point of run time; the windows have no padding then.
TensorIndex padded_by_zero(const Call& call, TensorIndex x, compose::Windows& windows,
                           TensorIndex zero) {
    Shape padding{0, 0};
    for (compose::WindowAxis& axis : windows) {
        padding.insert(padding.end(), {axis.before, axis.after});
        axis.before = axis.after = 0;
    }
    padding.insert(padding.end(), {0, 0});
    return compose::pad_with(call.ops(), x, padding, zero);
}

/// Sums of products without the zero points: i32 with channels last.
TensorIndex integer_sums(const Call& call, const ConvolutionForm& form,
                         const ConvolutionOperands& at) {
    OperatorBuilder& ops = call.ops();
    const Quantisation x = zero_point_only(call, at.x, at.x_zero, 1);
    const Quantisation w = zero_point_only(call, at.w, at.w_zero, form.shape[1]);
    compose::Windows windows = form.windows;
    compose::ConvolutionOptions options;
    options.groups = form.groups;
    const auto x_zero = x.zero_point == nullptr ? absent_zero(x) : x.known_zero_point();
    const auto w_zero = w.zero_point == nullptr ? absent_zero(w) : w.known_zero_point();
    options.input_zero_point = x_zero.value_or(0);
    options.weight_zero_point = w_zero.value_or(0);
    TensorIndex maps = call.channels_last(at.x);
    if (!x_zero) maps = padded_by_zero(call, maps, windows, call.tensor(at.x_zero));
    std::optional<TensorIndex> bias;
    if (call.has_input(at.bias)) bias = call.tensor(at.bias);
    TensorIndex sums = compose::convolution(ops, maps, convolution_weights(call, at.w, form.groups),
                                            bias, windows, options);
    if (!w_zero) {
        options.weight_zero_point = 0;
        sums = without_channel_zeros(call, sums, maps, at, windows, options);
    }
    if (!x_zero) {
        const TensorIndex zero = zero_point_words(call, at.x_zero, {1});
        const TensorIndex added = ops.product(channel_sums(call, at, w_zero), zero, "correction");
        sums = ops.binary(OpCode::kSub, sums, added, "corrected");
    }
    return sums;
}

}  // namespace

void integer_convolution(const Call& call) {
    call.require_inputs(2, 4);
    const ConvolutionForm form = convolution_form(call, 0, 1);
    constexpr std::size_t kNoBias = 4;
    call.set_channels_last(0, ElementType::kInt32, form.shape,
                           integer_sums(call, form, {0, 2, 1, 3, kNoBias}));
}

void quantised_convolution(const Call& call) {
    call.require_inputs(8, 9);
    const ConvolutionForm form = convolution_form(call, 0, 3);
    check_bias(call, 8, form.shape[1]);
    if (const Value* bias = call.optional_input(8)) {
        call.require(bias->type == ElementType::kInt32, "input 8",
                     std::string(element_name(bias->type)), "the bias is int32");
    }
    require_bytes(call, call.input(7));
    const SumScales scales{quantisation(call, call.input(0).type, 1, 2),
                           quantisation(call, call.input(3).type, 4, 5)};
    check_parameter_count(call, scales.x, 1);
    check_parameter_count(call, scales.w, form.shape[1]);
    const Quantisation y = quantisation(call, call.input(7).type, 6, 7);
    check_parameter_count(call, y, 1);
    const TensorIndex sums = integer_sums(call, form, {0, 2, 3, 5, 8});
    call.set_channels_last(0, y.type, form.shape, quantised_sums(call, sums, scales, y));
}

}  // namespace okksim::sim::graph::onnx::lower
