// SPDX-License-Identifier: Apache-2.0
// Functions of quantised values in the domain com.microsoft. Functions of one operand's elements
// are tables; the others compute with real numbers.
#include <algorithm>
#include <cmath>
#include <functional>

#include "sim/graph/compose/float_functions.h"
#include "sim/graph/compose/normalisation.h"
#include "sim/graph/compose/windows.h"
#include "sim/graph/onnx/onnx_integer_sums.h"
#include "sim/graph/onnx/onnx_operators.h"
#include "sim/graph/onnx/onnx_window_attributes.h"

namespace okksim::sim::graph::onnx::lower {

namespace {

/// The quantisation of a whole tensor: scale at operand `at`, the optional zero point after it.
Quantisation tensor_quantisation(const Call& call, ElementType type, std::size_t at) {
    const Quantisation result = quantisation(call, type, at, at + 1);
    check_parameter_count(call, result, 1);
    return result;
}

ParameterPlace whole_place(std::size_t rank) { return {Shape(rank, 1), 0, 0, false}; }

TensorIndex real_operand(const Call& call, TensorIndex held, const Quantisation& q) {
    return dequantised(call, held, q, whole_place(call.ops().rank(held)));
}

TensorIndex quantised_result(const Call& call, TensorIndex real, const Quantisation& q) {
    return quantised(call, real, q, whole_place(call.ops().rank(real)));
}

/// An operator of two operands: value, scale and zero point of each, and scale and zero point of
/// the result.
template <typename Compute>
void quantised_binary(const Call& call, const Compute& compute) {
    call.require_inputs(7, 8);
    Value& a = call.input(0);
    Value& b = call.input(3);
    require_bytes(call, a);
    call.require_same_type({&a, &b});
    const Quantisation qa = tensor_quantisation(call, a.type, 1);
    const Quantisation qb = tensor_quantisation(call, b.type, 4);
    const Quantisation qc = tensor_quantisation(call, a.type, 6);
    const Shape shape = call.broadcast({&a, &b});
    const Aligned order = call.tensors().aligned({&a, &b});
    const TensorIndex x = real_operand(call, order.tensors[0], qa);
    const TensorIndex y = real_operand(call, order.tensors[1], qb);
    call.set_aligned(0, a.type, shape, order, quantised_result(call, compute(x, y), qc));
}

/// The number of QuantizeLinear for a real number.
std::int64_t quantised_number(double real, double scale, std::int64_t held_zero) {
    const double number = std::nearbyint(real / scale) + static_cast<double>(held_zero);
    return std::llround(std::clamp(number, -128.0, 127.0));
}

/// A function of one operand's elements: value, scale, zero point, scale and zero point of the
/// result. `real` computes it if a scale is known only at run time.
void quantised_unary(const Call& call, const std::function<double(double)>& function,
                     const std::function<TensorIndex(TensorIndex)>& real) {
    call.require_inputs(4, 5);
    const Value& x = call.input(0);
    require_bytes(call, x);
    const Quantisation qx = tensor_quantisation(call, x.type, 1);
    const Quantisation qy = tensor_quantisation(call, x.type, 3);
    const Aligned order = call.aligned(0);
    const auto x_scale = qx.known_scales(), y_scale = qy.known_scales();
    const auto x_zero = qx.known_zero_point(), y_zero = qy.known_zero_point();
    if (!x_scale || !y_scale || !x_zero || !y_zero) {
        const TensorIndex result = real(real_operand(call, order.tensors[0], qx));
        return call.set_aligned(0, x.type, x.shape, order, quantised_result(call, result, qy));
    }
    std::vector<std::int64_t> table;
    for (std::int64_t held = -128; held < 128; ++held) {
        const double value = static_cast<double>(held - *x_zero) * x_scale->front();
        table.push_back(quantised_number(function(value), y_scale->front(), *y_zero));
    }
    OperatorBuilder& ops = call.ops();
    const TensorIndex values = ops.block().constant(DType::kI8, {256}, table, "table");
    call.set_aligned(0, x.type, x.shape, order,
                     ops.block().add(OpCode::kTable, NoAttributes{}, {order.tensors[0], values},
                                     DType::kI8, ops.shape(order.tensors[0]), "looked_up"));
}

/// A feature map of the file's order, or with channels last if the attribute says so.
struct FeatureMap {
    TensorIndex real;  ///< with channels last
    Shape shape;       ///< N, C, spatial...
    bool is_channels_last = false;
};

FeatureMap feature_map(const Call& call, const Quantisation& q) {
    const Value& x = call.input(0);
    spatial_shape(call, x);
    FeatureMap map{0, x.shape, call.integer("channels_last", 0) != 0};
    if (map.is_channels_last) {
        map.shape.insert(map.shape.begin() + 1, x.shape.back());
        map.shape.pop_back();
    }
    const TensorIndex held = map.is_channels_last ? call.tensor(0) : call.channels_last(0);
    map.real = real_operand(call, held, q);
    return map;
}

void set_feature_map(const Call& call, const FeatureMap& map, Shape spatial, TensorIndex real,
                     const Quantisation& q) {
    const TensorIndex held = quantised_result(call, real, q);
    Shape shape = feature_shape(map.shape[0], map.shape[1], spatial);
    if (!map.is_channels_last) return call.set_channels_last(0, q.type, shape, held);
    std::rotate(shape.begin() + 1, shape.begin() + 2, shape.end());
    call.set_tensor(0, q.type, shape, held);
}

}  // namespace

void quantised_add(const Call& call) {
    quantised_binary(call, [&](TensorIndex x, TensorIndex y) {
        return call.ops().binary(OpCode::kAdd, x, y, "sum");
    });
}

void quantised_multiply(const Call& call) {
    quantised_binary(
        call, [&](TensorIndex x, TensorIndex y) { return call.ops().product(x, y, "product"); });
}

void quantised_sigmoid(const Call& call) {
    quantised_unary(
        call, [](double x) { return 1 / (1 + std::exp(-x)); },
        [&](TensorIndex x) { return compose::sigmoid(call.ops(), x); });
}

void quantised_leaky_relu(const Call& call) {
    const double alpha = call.real("alpha", 0.01);
    quantised_unary(
        call, [alpha](double x) { return x < 0 ? alpha * x : x; },
        [&](TensorIndex x) { return compose::leaky_relu(call.ops(), x, alpha); });
}

void quantised_softmax(const Call& call) {
    call.require_inputs(4, 5);
    const Value& x = call.input(0);
    require_bytes(call, x);
    const Quantisation qx = tensor_quantisation(call, x.type, 1);
    const Quantisation qy = tensor_quantisation(call, x.type, 3);
    const std::size_t axis = call.axis(call.integer("axis", -1), x.rank());
    // Until operator set 13, softmax is over all dimensions from the axis on.
    constexpr std::int64_t kOneAxis = 13;
    std::vector<std::size_t> axes{axis};
    if (call.integer("opset", kOneAxis) < kOneAxis) {
        for (std::size_t i = axis + 1; i < x.rank(); ++i) axes.push_back(i);
    }
    const TensorIndex real = real_operand(call, call.tensor(0), qx);
    call.set_tensor(0, x.type, x.shape,
                    quantised_result(call, compose::softmax(call.ops(), real, axes), qy));
}

void quantised_average_pool(const Call& call) {
    call.require_inputs(4, 5);
    require_bytes(call, call.input(0));
    const ElementType type = call.input(0).type;
    const Quantisation qx = tensor_quantisation(call, type, 1);
    const Quantisation qy = tensor_quantisation(call, type, 3);
    const FeatureMap map = feature_map(call, qx);
    const Shape spatial(map.shape.begin() + 2, map.shape.end());
    const compose::Windows windows = windows_of(call, kernel_shape(call, spatial.size()), spatial);
    const compose::MeanOptions options{call.integer("ceil_mode", 0) != 0,
                                       call.integer("count_include_pad", 0) != 0};
    const Shape counts = window_counts(call, windows, spatial, options.ceil_mode);
    set_feature_map(call, map, counts,
                    compose::average_pool(call.ops(), map.real, windows, options), qy);
}

void quantised_global_average_pool(const Call& call) {
    call.require_inputs(4, 5);
    require_bytes(call, call.input(0));
    const ElementType type = call.input(0).type;
    const Quantisation qx = tensor_quantisation(call, type, 1);
    const Quantisation qy = tensor_quantisation(call, type, 3);
    const FeatureMap map = feature_map(call, qx);
    set_feature_map(call, map, Shape(map.shape.size() - 2, 1),
                    compose::global_average_pool(call.ops(), map.real), qy);
}

void quantised_concat(const Call& call) {
    const std::size_t count = call.input_count();
    // Scale and zero point of the result, then value, scale and zero point of each part.
    call.require(count >= 5 && count % 3 == 2, "inputs", std::to_string(count),
                 "the operator has 2 inputs, and 3 for each part");
    std::vector<Value*> parts;
    for (std::size_t n = 2; n < count; n += 3) parts.push_back(&call.input(n));
    call.require_same_type(parts);
    const Value& first = *parts.front();
    require_bytes(call, first);
    const std::size_t axis = call.axis(call.required_integer("axis"), first.rank());
    const Quantisation qy = tensor_quantisation(call, first.type, 0);
    Shape shape = first.shape;
    for (std::size_t i = 1; i < parts.size(); ++i) {
        Shape other = parts[i]->shape;
        if (other.size() == shape.size()) other[axis] = first.shape[axis];
        call.require(other == first.shape, std::string(parts[i]->name), shape_text(parts[i]->shape),
                     "the parts have equal dimensions except for the axis");
        shape[axis] += parts[i]->shape[axis];
    }
    const Aligned order = call.tensors().aligned(parts);
    std::vector<TensorIndex> converted;
    for (std::size_t i = 0; i < parts.size(); ++i) {
        const Quantisation q = tensor_quantisation(call, first.type, 3 + 3 * i);
        const bool is_same = q.known_scales() && q.known_scales() == qy.known_scales() &&
                             q.known_zero_point() && q.known_zero_point() == qy.known_zero_point();
        converted.push_back(
            is_same ? order.tensors[i]
                    : quantised_result(call, real_operand(call, order.tensors[i], q), qy));
    }
    call.set_aligned(0, first.type, shape, order,
                     call.ops().concat(converted, order.place(axis), "joined"));
}

}  // namespace okksim::sim::graph::onnx::lower
