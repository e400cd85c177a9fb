// SPDX-License-Identifier: Apache-2.0
// Normalisations across channels and by parameters of channels.
#include <algorithm>
#include <cmath>

#include "sim/graph/compose/axes.h"
#include "sim/graph/compose/float_functions.h"
#include "sim/graph/compose/host_values.h"
#include "sim/graph/compose/normalisation.h"
#include "sim/graph/compose/real.h"

namespace okksim::sim::graph::compose {

namespace {

/// [1,C,C]: `value` where input channel i is among the neighbours of output channel j.
TensorIndex band(OperatorBuilder& ops, std::int64_t channels, std::int64_t size, double value) {
    const std::int64_t before = (size - 1) / 2;
    std::vector<double> values;
    for (std::int64_t i = 0; i < channels; ++i) {
        for (std::int64_t j = 0; j < channels; ++j) {
            const std::int64_t place = i - j + before;
            values.push_back(place >= 0 && place < size ? value : 0);
        }
    }
    return real_values(ops, DType::kFp32, {1, channels, channels}, values, "band");
}

bool all_equal(const std::vector<double>& values, double value) {
    return std::all_of(values.begin(), values.end(), [value](double v) { return v == value; });
}

}  // namespace

// A product with a band matrix sums the neighbours of all channels at once.
TensorIndex local_response_normalisation(OperatorBuilder& ops, TensorIndex x, std::int64_t size,
                                         double alpha, double beta, double bias, std::size_t axis) {
    return in_fp32(ops, x, [&](const Real& value) {
        const std::size_t last = value.rank() - 1;
        const auto perms = exchange(last + 1, axis, last);
        const TensorIndex squares = ops.transpose((value * value).tensor(), perms, "axis_last");
        const Shape shape = ops.shape(squares);
        const std::int64_t channels = shape.back();
        const auto places = static_cast<std::int64_t>(*element_count(shape)) / channels;
        const TensorIndex rows = ops.reshape(squares, {1, places, channels}, "rows");
        const TensorIndex sums =
            matrix_product(ops, rows, band(ops, channels, size, alpha), "neighbours");
        const TensorIndex in_shape =
            ops.transpose(ops.reshape(sums, shape, "sums"), perms, "axis_back");
        const Real base = Real(ops, in_shape) + bias;
        return value * Real(ops, power(ops, base.tensor(), -beta));
    });
}

ChannelLines fold_batch_norm(std::span<const double> scale, std::span<const double> bias,
                             std::span<const double> mean, std::span<const double> variance,
                             double epsilon) {
    ChannelLines lines;
    for (std::size_t c = 0; c < mean.size(); ++c) {
        lines.scale.push_back(scale[c] / std::sqrt(variance[c] + epsilon));
        lines.offset.push_back(bias[c] - mean[c] * lines.scale.back());
    }
    return lines;
}

TensorIndex scale_channels(OperatorBuilder& ops, TensorIndex x, std::size_t axis,
                           const ChannelLines& lines) {
    Shape shape(ops.rank(x), 1);
    shape[axis] = ops.shape(x)[axis];
    const DType type = ops.type(x);
    if (!all_equal(lines.scale, 1)) {
        x = ops.product(x, real_values(ops, type, shape, lines.scale, "scale"), "scaled");
    }
    if (all_equal(lines.offset, 0)) return x;
    return ops.binary(OpCode::kAdd, x, real_values(ops, type, shape, lines.offset, "offset"),
                      "moved");
}

TensorIndex batch_norm(OperatorBuilder& ops, TensorIndex x, std::size_t axis,
                       const BatchNormOperands& operands, double epsilon) {
    return in_fp32(ops, x, [&](const Real& value) {
        const auto wide = [&](TensorIndex operand) {
            const TensorIndex placed = along_axis(ops, operand, value.rank(), axis);
            return Real(ops, ops.cast(placed, DType::kFp32, "widened"));
        };
        const Real scale =
            wide(operands.scale) * inverse_root_of(wide(operands.variance) + epsilon);
        const Real offset = wide(operands.bias) - wide(operands.mean) * scale;
        return value * scale + offset;
    });
}

}  // namespace okksim::sim::graph::compose
