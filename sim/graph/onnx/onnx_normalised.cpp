// SPDX-License-Identifier: Apache-2.0
// Normalisations along axes.
#include <algorithm>
#include <numeric>

#include "sim/graph/compose/normalisation.h"
#include "sim/graph/onnx/onnx_checks.h"
#include "sim/graph/onnx/onnx_elements.h"
#include "sim/graph/onnx/onnx_operators.h"

namespace okksim::sim::graph::onnx::lower {

namespace {

/// Returns the positions of axes in the tensors, sorted.
std::vector<std::size_t> placed_axes(const Aligned& order, const std::vector<std::size_t>& axes) {
    std::vector<std::size_t> result;
    for (const std::size_t axis : axes) result.push_back(order.place(axis));
    std::sort(result.begin(), result.end());
    return result;
}

std::vector<std::size_t> axes_from(std::size_t first, std::size_t rank) {
    std::vector<std::size_t> axes(rank - first);
    std::iota(axes.begin(), axes.end(), first);
    return axes;
}

void flattened_hardmax(const Call& call, std::size_t axis) {
    Value& x = call.input(0);
    OperatorBuilder& ops = call.ops();
    std::int64_t outer = 1;
    for (std::size_t i = 0; i < axis; ++i) outer *= x.shape[i];
    const TensorIndex lines =
        ops.reshape(call.tensor(0), {outer, elements_of(x.shape) / outer}, "lines");
    call.set_tensor(0, x.type, x.shape,
                    ops.reshape(compose::hardmax(ops, lines, 1), x.shape, "hardmax"));
}

/// A normalisation over the axes from one on, with its optional scale and bias.
struct LayerOperands {
    Aligned order;
    std::vector<std::size_t> axes;  ///< of the tensors
    std::vector<std::size_t> file_axes;
    std::optional<TensorIndex> scale;
    std::optional<TensorIndex> bias;
};

LayerOperands layer_operands(const Call& call, std::vector<Value*> operands) {
    Value& x = *operands[0];
    const std::size_t axis = call.axis(call.integer("axis", -1), x.rank());
    // A scale may have another type of real numbers.
    for (std::size_t n = 1; n < operands.size(); ++n) {
        if (operands[n] == nullptr) continue;
        call.require(is_real(operands[n]->type), std::string(operands[n]->name),
                     std::string(element_name(operands[n]->type)), "the operand has real numbers");
        require_broadcasts(call, *operands[n]);
    }
    std::vector<Value*> present;
    for (Value* value : operands) {
        if (value != nullptr) present.push_back(value);
    }
    LayerOperands result{call.tensors().aligned(present), {}, axes_from(axis, x.rank()), {}, {}};
    result.axes = placed_axes(result.order, result.file_axes);
    std::size_t next = 1;
    const auto take = [&](std::size_t n) -> std::optional<TensorIndex> {
        if (n >= operands.size() || operands[n] == nullptr) return std::nullopt;
        return onnx::cast(call.ops(), operands[n]->type, x.type, result.order.tensors[next++]);
    };
    result.scale = take(1);
    result.bias = take(2);
    return result;
}

void set_statistic(const Call& call, std::size_t n, const LayerOperands& of, TensorIndex tensor) {
    Shape shape = call.input(0).shape;
    for (const std::size_t axis : of.file_axes) shape[axis] = 1;
    call.set_aligned(n, ElementType::kFloat32, shape, of.order, tensor);
}

/// Adds the operands that a Skip... operator adds before it normalises.
Value& skipped_sum(const Call& call, std::optional<std::size_t> bias) {
    Value& x = call.input(0);
    std::vector<Value*> parts{&x, &call.input(1)};
    if (bias && call.has_input(*bias)) parts.push_back(&call.input(*bias));
    call.require_same_type(parts);
    for (const Value* part : parts) require_broadcasts(call, *part);
    const Aligned order = call.tensors().aligned(parts);
    TensorIndex sum = order.tensors[0];
    for (std::size_t i = 1; i < parts.size(); ++i) {
        sum = call.ops().binary(OpCode::kAdd, sum, order.tensors[i], "input_skip_bias_sum");
    }
    Value& result = call.context().temporary();
    result.name = x.name;
    result.type = x.type;
    result.shape = x.shape;
    (order.is_channels_last ? result.channels_last : result.declared) = sum;
    return result;
}

}  // namespace

void softmax(const Call& call) {
    call.require_inputs(1, 1);
    require_reals(call);
    require_rank(call, 0, 1);
    Value& x = call.input(0);
    const bool is_flattened = call.opset() < 13;  // as a matrix, whose columns start at the axis
    // The default axis of vectors is their only one.
    const std::int64_t usual = is_flattened && x.rank() > 1 ? 1 : -1;
    const std::size_t axis = call.axis(call.integer("axis", usual), x.rank());
    if (elements_of(x.shape) == 0) return set_empty(call, 0, x.type, x.shape);
    const std::vector<std::size_t> axes =
        is_flattened ? axes_from(axis, x.rank()) : std::vector<std::size_t>{axis};
    const std::string_view type = call.op_type();
    if (type == "Hardmax" && axes.size() != 1) return flattened_hardmax(call, axis);
    const Aligned order = call.aligned(0);
    const std::vector<std::size_t> places = placed_axes(order, axes);
    OperatorBuilder& ops = call.ops();
    const TensorIndex in = order.tensors[0];
    const TensorIndex result = type == "Hardmax"      ? compose::hardmax(ops, in, places[0])
                               : type == "LogSoftmax" ? compose::log_softmax(ops, in, places)
                                                      : compose::softmax(ops, in, places);
    call.set_aligned(0, x.type, x.shape, order, result);
}

void layer_normalization(const Call& call) {
    call.require_inputs(2, 3);
    require_reals(call);
    Value& x = call.input(0);
    const LayerOperands of = layer_operands(call, {&x, &call.input(1), call.optional_input(2)});
    const compose::Normalised done =
        compose::layer_norm(call.ops(), of.order.tensors[0], of.axes, call.real("epsilon", 1e-5),
                            of.scale, of.bias, call.has_output(1) || call.has_output(2));
    call.set_aligned(0, x.type, x.shape, of.order, done.result);
    if (call.has_output(1)) set_statistic(call, 1, of, done.mean);
    if (call.has_output(2)) set_statistic(call, 2, of, done.inverse_deviation);
}

void rms_normalization(const Call& call) {
    call.require_inputs(2, 2);
    require_reals(call);
    Value& x = call.input(0);
    const LayerOperands of = layer_operands(call, {&x, &call.input(1)});
    const compose::Normalised done =
        compose::rms_norm(call.ops(), of.order.tensors[0], of.axes, call.real("epsilon", 1e-5),
                          of.scale, call.has_output(1));
    call.set_aligned(0, x.type, x.shape, of.order, done.result);
    if (call.has_output(1)) set_statistic(call, 1, of, done.inverse_deviation);
}

void skip_normalization(const Call& call) {
    const bool is_simplified = call.op_type() == "SkipSimplifiedLayerNormalization";
    call.require_inputs(3, is_simplified ? 4 : 5);
    require_reals(call);
    Value& sum = skipped_sum(call, is_simplified ? 3 : 4);
    Value* beta = is_simplified ? nullptr : call.optional_input(3);
    const LayerOperands of = layer_operands(call, {&sum, &call.input(2), beta});
    const double epsilon = call.real("epsilon", 1e-12);
    const bool has_statistics = call.has_output(1) || call.has_output(2);
    OperatorBuilder& ops = call.ops();
    const compose::Normalised done =
        is_simplified ? compose::rms_norm(ops, of.order.tensors[0], of.axes, epsilon, of.scale,
                                          has_statistics)
                      : compose::layer_norm(ops, of.order.tensors[0], of.axes, epsilon, of.scale,
                                            of.bias, has_statistics);
    call.set_aligned(0, sum.type, sum.shape, of.order, done.result);
    if (call.has_output(1) && !is_simplified) set_statistic(call, 1, of, done.mean);
    if (call.has_output(2)) set_statistic(call, 2, of, done.inverse_deviation);
    call.set_aligned(3, sum.type, sum.shape, of.order, of.order.tensors[0]);
}

void lp_normalization(const Call& call) {
    call.require_inputs(1, 1);
    require_reals(call);
    Value& x = call.input(0);
    const std::int64_t p = call.integer("p", 2);
    call.require(p == 1 || p == 2, "p", std::to_string(p), "the order of the norm is 1 or 2");
    const std::size_t axis = call.axis(call.integer("axis", -1), x.rank());
    const Aligned order = call.aligned(0);
    call.set_aligned(0, x.type, x.shape, order,
                     compose::lp_normalisation(call.ops(), order.tensors[0], static_cast<int>(p),
                                               order.place(axis)));
}

void mean_variance_normalization(const Call& call) {
    call.require_inputs(1, 1);
    require_reals(call);
    Value& x = call.input(0);
    const std::vector<std::int64_t> usual{0, 2, 3};
    const std::vector<std::size_t> axes =
        call.axes(call.integer_list("axes").value_or(usual), x.rank());
    const Aligned order = call.aligned(0);
    call.set_aligned(0, x.type, x.shape, order,
                     compose::mean_variance_normalisation(call.ops(), order.tensors[0],
                                                          placed_axes(order, axes)));
}

}  // namespace okksim::sim::graph::onnx::lower
