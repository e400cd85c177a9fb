// SPDX-License-Identifier: Apache-2.0
// Layers between convolutions.
#include <algorithm>
#include <cmath>

#include "sim/zoo/network_builder.h"

namespace okksim::sim::zoo {

using namespace okksim::tosa;

TensorIndex NetworkBuilder::activate_real(const Feature& x, Activation activation) {
    const auto unary = [&](OpCode code, TensorIndex a) { return op(code, {a}, type(), x.shape); };
    const auto scalar = [&](double value) {
        return reals(type(), Shape(x.shape.size(), 1), {value});
    };
    const auto product = [&](TensorIndex a, TensorIndex b) {
        return multiply(a, b, type(), x.shape);
    };
    switch (activation) {
        case Activation::kNone: return x.tensor;
        case Activation::kRelu:
        case Activation::kRelu6: return clamp(x.tensor, x.shape, activation, {});
        case Activation::kSilu: return product(x.tensor, unary(OpCode::kSigmoid, x.tensor));
        case Activation::kGelu: {
            const TensorIndex erf = unary(OpCode::kErf, product(x.tensor, scalar(std::sqrt(0.5))));
            const TensorIndex share = op(OpCode::kAdd, {erf, scalar(1.0)}, type(), x.shape);
            return product(product(x.tensor, scalar(0.5)), share);
        }
        case Activation::kTanh: return unary(OpCode::kTanh, x.tensor);
        case Activation::kSigmoid: return unary(OpCode::kSigmoid, x.tensor);
    }
    return x.tensor;
}

TensorIndex NetworkBuilder::table_int8(const Feature& x, Activation activation,
                                       const Quantisation& result) {
    std::vector<std::int64_t> table;
    for (int q = -128; q < 128; ++q) {
        table.push_back(result.quantise(zoo::activate(activation, x.quantisation.real(q))));
    }
    return op(OpCode::kTable, {x.tensor, integers(DType::kI8, table)}, type(), x.shape);
}

Feature NetworkBuilder::activate(const Feature& x, Activation activation) {
    if (activation == Activation::kNone) return x;
    Feature result = x;
    result.moments = through(activation, x.moments);
    // Two roundings: one for the result, and one for the errors of the function.
    result.error = x.error + (is_clamp(activation) ? 0.0 : 2.0 * rounding());
    if (!is_quantised()) {
        result.tensor = activate_real(x, activation);
    } else if (is_clamp(activation)) {
        result.tensor = clamp(x.tensor, x.shape, activation, x.quantisation);
    } else {
        result.quantisation = quantise_range(range_of(activation, x.moments));
        result.tensor = table_int8(x, activation, result.quantisation);
    }
    return result;
}

Feature NetworkBuilder::max_pool(const Feature& x, int kernel, int stride) {
    const Window vertical = window(x.shape[1], kernel, stride);
    const Window horizontal = window(x.shape[2], kernel, stride);
    MaxPool2dAttributes attributes;
    attributes.kernel = {kernel, kernel};
    attributes.stride = {stride, stride};
    attributes.pad = {vertical.before, vertical.after, horizontal.before, horizontal.after};
    attributes.nan_mode = NanPropagationMode::kPropagate;
    Feature result = x;
    result.shape = {x.shape[0], vertical.size, horizontal.size, x.shape[3]};
    result.moments = largest_of(x.moments, kernel * kernel);
    result.tensor = op(OpCode::kMaxPool2d, attributes, {x.tensor}, type(), result.shape);
    return result;
}

Feature NetworkBuilder::global_average(const Feature& x) {
    AvgPool2dAttributes attributes;
    attributes.kernel = {static_cast<std::int32_t>(x.shape[1]),
                         static_cast<std::int32_t>(x.shape[2])};
    attributes.stride = {1, 1};
    attributes.acc_type = is_quantised() ? DType::kI32 : DType::kFp32;
    const TensorIndex zero = is_quantised() ? integers(DType::kI8, {x.quantisation.zero_point})
                                            : reals(type(), {1}, {0.0});
    Feature result = x;
    result.shape = {x.shape[0], 1, 1, x.shape[3]};
    // Positions are partly correlated, so the variance is halved as an estimate.
    result.moments.variance /= 2.0;
    result.error +=
        rounding() + static_cast<double>(x.shape[1] * x.shape[2]) * std::ldexp(1.0, -48) / 3.0;
    result.tensor =
        op(OpCode::kAvgPool2d, attributes, {x.tensor, zero, zero}, type(), result.shape);
    return result;
}

TensorIndex NetworkBuilder::add_int8(const Feature& a, const Feature& b, const Quantisation& result,
                                     const Shape& shape) {
    // Both use units of twice the larger scale / 2^20, so that sums stay below 2^28.
    const double unit =
        2.0 * std::max(a.quantisation.scale, b.quantisation.scale) / std::ldexp(1.0, 20);
    const auto widen = [&](const Feature& x) {
        return rescale(x.tensor, DType::kI8, x.quantisation.zero_point, DType::kI32, 0,
                       {x.quantisation.scale / unit}, x.shape);
    };
    const TensorIndex total = op(OpCode::kAdd, {widen(a), widen(b)}, DType::kI32, shape);
    return rescale(total, DType::kI32, 0, DType::kI8, result.zero_point, {unit / result.scale},
                   shape);
}

Feature NetworkBuilder::add(const Feature& a, const Feature& b, Activation activation) {
    Feature result = a;
    for (std::size_t i = 0; i < a.shape.size(); ++i) {
        result.shape[i] = std::max(a.shape[i], b.shape[i]);
    }
    result.moments = sum(a.moments, b.moments);
    const double squares = a.moments.square() + b.moments.square();
    result.error =
        (a.error * a.moments.square() + b.error * b.moments.square()) / squares + rounding();
    if (is_quantised()) {
        const Activation ending = is_clamp(activation) ? activation : Activation::kNone;
        result.quantisation = quantise_range(range_of(ending, result.moments));
        result.tensor = add_int8(a, b, result.quantisation, result.shape);
    } else {
        result.tensor = op(OpCode::kAdd, {a.tensor, b.tensor}, type(), result.shape);
    }
    return activate(result, activation);
}

Feature NetworkBuilder::concat(const std::vector<Feature>& parts) {
    Feature result = parts.front();
    result.shape.back() = 0;
    double first = 0.0, second = 0.0, error = 0.0;
    for (const Feature& part : parts) {
        const auto channels = static_cast<double>(part.shape.back());
        result.shape.back() += part.shape.back();
        first += channels * part.moments.mean;
        second += channels * part.moments.square();
        error += channels * part.moments.square() * part.error;
        if (part.quantisation.scale > result.quantisation.scale) {
            result.quantisation = part.quantisation;  // the widest range
        }
    }
    const auto channels = static_cast<double>(result.shape.back());
    result.error = error / second;
    result.moments.mean = first / channels;
    result.moments.variance = second / channels - result.moments.mean * result.moments.mean;
    std::vector<TensorIndex> inputs;
    for (const Feature& part : parts) {
        const Quantisation& from = part.quantisation;
        const Quantisation& to = result.quantisation;
        const bool same = from.scale == to.scale && from.zero_point == to.zero_point;
        inputs.push_back(!is_quantised() || same
                             ? part.tensor
                             : rescale(part.tensor, DType::kI8, from.zero_point, DType::kI8,
                                       to.zero_point, {from.scale / to.scale}, part.shape));
    }
    ConcatAttributes attributes;
    attributes.axis = static_cast<std::int32_t>(result.shape.size()) - 1;
    result.tensor = op(OpCode::kConcat, attributes, inputs, type(), result.shape);
    return result;
}

Feature NetworkBuilder::upsample(const Feature& x) {
    ResizeAttributes attributes;
    attributes.mode = ResizeMode::kNearestNeighbor;
    Feature result = x;
    result.shape = {x.shape[0], 2 * x.shape[1], 2 * x.shape[2], x.shape[3]};
    // Half-pixel centres: output o is at (2 o - 1) / 4 of the input; the nearest input is o / 2.
    result.tensor = op(OpCode::kResize, attributes,
                       {x.tensor, graph_.shape_value({4, 2, 4, 2}), graph_.shape_value({-1, -1}),
                        graph_.shape_value({1, 1})},
                       type(), result.shape);
    return result;
}

Feature NetworkBuilder::reshape(const Feature& x, Shape shape) {
    Feature result = x;
    result.tensor = op(OpCode::kReshape, {x.tensor, graph_.shape_value(shape)}, type(), shape);
    result.shape = std::move(shape);
    return result;
}

Feature NetworkBuilder::transpose(const Feature& x, std::vector<std::int32_t> perms) {
    Feature result = x;
    for (std::size_t i = 0; i < perms.size(); ++i) {
        result.shape[i] = x.shape[static_cast<std::size_t>(perms[i])];
    }
    result.tensor = op(OpCode::kTranspose, TransposeAttributes{std::move(perms)}, {x.tensor},
                       type(), result.shape);
    return result;
}

Feature NetworkBuilder::slice(const Feature& x, const Shape& start, Shape size) {
    Feature result = x;
    result.tensor =
        op(OpCode::kSlice, {x.tensor, graph_.shape_value(start), graph_.shape_value(size)}, type(),
           size);
    result.shape = std::move(size);
    return result;
}

}  // namespace okksim::sim::zoo
