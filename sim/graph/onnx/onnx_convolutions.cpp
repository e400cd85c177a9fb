// SPDX-License-Identifier: Apache-2.0
// Convolutions of real numbers.
#include "sim/graph/onnx/onnx_convolutions.h"

#include <limits>

#include "sim/graph/compose/float_functions.h"
#include "sim/graph/onnx/onnx_operators.h"
#include "sim/graph/onnx/onnx_window_attributes.h"

namespace okksim::sim::graph::onnx {

namespace {

std::int64_t groups_of(const Call& call) {
    const std::int64_t groups = call.integer("group", 1);
    call.require(groups >= 1, "group", std::to_string(groups), "the number of groups is from 1");
    return groups;
}

/// Refuses weights of another rank than the feature map, or of another number of channels.
void check_weights(const Call& call, const Value& x, const Value& w, std::int64_t channels,
                   const std::string& rule) {
    call.require(
        w.rank() == x.rank(), std::string(w.name), shape_text(w.shape),
        "weights and feature map have equal numbers of dimensions, here " + shape_text(x.shape));
    call.require(channels == x.shape[1], std::string(w.name), shape_text(w.shape),
                 rule + " " + std::to_string(x.shape[1]) + ", the channels of the feature map");
    const bool has_elements = element_count(w.shape).value_or(0) > 0;
    call.require(has_elements, std::string(w.name), shape_text(w.shape), "weights have elements");
}

}  // namespace

ConvolutionForm convolution_form(const Call& call, std::size_t x_at, std::size_t weights_at) {
    const Value& x = call.input(x_at);
    const Value& w = call.input(weights_at);
    const Shape spatial = spatial_shape(call, x);
    ConvolutionForm form;
    form.groups = groups_of(call);
    const std::int64_t channels = w.rank() < 2 ? 0 : w.shape[1] * form.groups;
    check_weights(call, x, w, channels, "dimension 1 times the groups is");
    call.require(w.shape[0] % form.groups == 0, "group", std::to_string(form.groups),
                 "the groups divide the output channels " + std::to_string(w.shape[0]));
    const Shape weights_kernel(w.shape.begin() + 2, w.shape.end());
    const Shape kernel = kernel_shape(call, spatial.size(), &weights_kernel);
    form.windows = windows_of(call, kernel, spatial);
    form.shape =
        feature_shape(x.shape[0], w.shape[0], window_counts(call, form.windows, spatial, false));
    return form;
}

void check_bias(const Call& call, std::size_t n, std::int64_t channels) {
    const Value* bias = call.optional_input(n);
    if (bias == nullptr) return;
    call.require(bias->shape == Shape{channels}, std::string(bias->name), shape_text(bias->shape),
                 "the bias has the shape " + shape_text({channels}));
}

TensorIndex convolution_weights(const Call& call, std::size_t n, std::int64_t groups) {
    return compose::arranged_weights(call.ops(), call.tensor(n),
                                     compose::weights_layout(call.input(n).shape, groups));
}

namespace {

std::optional<TensorIndex> optional_tensor(const Call& call, std::size_t n) {
    if (!call.has_input(n)) return std::nullopt;
    return call.tensor(n);
}

/// Refuses operands that are not real numbers of one type.
void check_types(const Call& call) {
    std::vector<Value*> present;
    for (std::size_t n = 0; n < call.input_count(); ++n) {
        if (n < 2 || call.has_input(n)) present.push_back(&call.input(n));
    }
    require_real(call, call.input(0));
    call.require_same_type(present);
}

TensorIndex convolved(const Call& call, const ConvolutionForm& form) {
    compose::ConvolutionOptions options;
    options.groups = form.groups;
    return compose::convolution(call.ops(), call.channels_last(0),
                                convolution_weights(call, 1, form.groups), optional_tensor(call, 2),
                                form.windows, options);
}

/// Applies the activation of FusedConv.
TensorIndex activated(const Call& call, TensorIndex x) {
    OperatorBuilder& ops = call.ops();
    const std::string_view name = call.text("activation", "");
    const std::vector<float> parameters =
        call.real_list("activation_params").value_or(std::vector<float>());
    const auto parameter = [&](std::size_t n, double otherwise) {
        return n < parameters.size() ? static_cast<double>(parameters[n]) : otherwise;
    };
    if (name.empty()) return x;
    if (name == "Relu") return compose::relu(ops, x);
    if (name == "Tanh") return compose::tanh(ops, x);
    if (name == "Sigmoid") return compose::sigmoid(ops, x);
    if (name == "LeakyRelu") return compose::leaky_relu(ops, x, parameter(0, 0.01));
    if (name == "HardSigmoid") {
        return compose::hard_sigmoid(ops, x, parameter(0, 0.2), parameter(1, 0.5));
    }
    if (name == "Clip") {
        constexpr double kMost = std::numeric_limits<float>::max();
        return compose::clip(ops, x, std::optional(parameter(0, -kMost)),
                             std::optional(parameter(1, kMost)));
    }
    throw UnsupportedPart("activation " + std::string(name));
}

/// Sets the padding of one direction of a transposed convolution; returns the output's size.
std::int64_t pad_transposed(const Call& call, compose::WindowAxis& axis, std::int64_t input,
                            std::int64_t added, std::optional<std::int64_t> wanted) {
    const AutoPad kind = auto_pad(call);
    const auto odd =
        kind == AutoPad::kSameUpper ? compose::OddPadding::kAfter : compose::OddPadding::kBefore;
    const std::int64_t whole = axis.stride * (input - 1) + axis.reach() + added;
    if (wanted) {
        axis = compose::transposed_padding(axis, input, *wanted, added, odd);
        return *wanted;
    }
    if (kind != AutoPad::kExplicit) axis.before = axis.after = 0;
    const bool is_same = kind == AutoPad::kSameUpper || kind == AutoPad::kSameLower;
    if (is_same && whole > input * axis.stride) {
        axis = compose::transposed_padding(axis, input, input * axis.stride, added, odd);
    }
    return whole - axis.before - axis.after;
}

/// Returns the wanted spatial sizes of ConvTranspose; empty if the file does not give them.
Shape wanted_shape(const Call& call, std::size_t directions) {
    const auto list = call.integer_list("output_shape");
    if (!list || list->empty()) return {};
    const bool is_right = list->size() == directions || list->size() == directions + 2;
    call.require(is_right, "output_shape", shape_text(*list),
                 "the list has " + std::to_string(directions) + " numbers");
    return {list->end() - static_cast<std::ptrdiff_t>(directions), list->end()};
}

}  // namespace

namespace lower {

void convolution(const Call& call) {
    call.require_inputs(2, 3);
    check_types(call);
    const ConvolutionForm form = convolution_form(call, 0, 1);
    check_bias(call, 2, form.shape[1]);
    call.set_channels_last(0, call.input(0).type, form.shape, convolved(call, form));
}

void fused_convolution(const Call& call) {
    call.require_inputs(2, 4);
    check_types(call);
    const ConvolutionForm form = convolution_form(call, 0, 1);
    check_bias(call, 2, form.shape[1]);
    TensorIndex result = convolved(call, form);
    if (const Value* added = call.optional_input(3)) {
        call.require(added->shape == form.shape, std::string(added->name), shape_text(added->shape),
                     "the added feature map has the result's shape " + shape_text(form.shape));
        result = call.ops().binary(OpCode::kAdd, result, call.channels_last(3), "sum");
    }
    call.set_channels_last(0, call.input(0).type, form.shape, activated(call, result));
}

void transposed_convolution(const Call& call) {
    call.require_inputs(2, 3);
    check_types(call);
    const Value& x = call.input(0);
    const Value& w = call.input(1);
    const Shape spatial = spatial_shape(call, x);
    compose::ConvolutionOptions options;
    options.groups = groups_of(call);
    check_weights(call, x, w, w.rank() < 2 ? 0 : w.shape[0], "dimension 0 is");
    call.require(w.shape[0] % options.groups == 0, "group", std::to_string(options.groups),
                 "the groups divide the input channels " + std::to_string(w.shape[0]));
    const std::int64_t channels = w.shape[1] * options.groups;
    check_bias(call, 2, channels);
    const Shape weights_kernel(w.shape.begin() + 2, w.shape.end());
    const Shape kernel = kernel_shape(call, spatial.size(), &weights_kernel);
    compose::Windows windows = explicit_windows(call, kernel);
    options.output_padding = direction_list(call, "output_padding", spatial.size(), 0, 0);
    const Shape wanted = wanted_shape(call, spatial.size());
    Shape sizes;
    for (std::size_t i = 0; i < windows.size(); ++i) {
        const auto size = wanted.empty() ? std::nullopt : std::optional(wanted[i]);
        sizes.push_back(
            pad_transposed(call, windows[i], spatial[i], options.output_padding[i], size));
        call.require(sizes.back() > 0, "output_shape", std::to_string(sizes.back()),
                     "the result has elements in each direction");
    }
    const TensorIndex weights = compose::arranged_weights(
        call.ops(), call.tensor(1), compose::transposed_weights_layout(w.shape, options.groups));
    call.set_channels_last(
        0, x.type, feature_shape(x.shape[0], channels, sizes),
        compose::transposed_convolution(call.ops(), call.channels_last(0), weights,
                                        optional_tensor(call, 2), windows, options));
}

}  // namespace lower
}  // namespace okksim::sim::graph::onnx
