// SPDX-License-Identifier: Apache-2.0
// Group, instance, local response and batch normalisation.
#include <algorithm>
#include <cmath>
#include <functional>
#include <numeric>

#include "sim/graph/compose/axes.h"
#include "sim/graph/compose/float_functions.h"
#include "sim/graph/compose/host_values.h"
#include "sim/graph/compose/normalisation.h"
#include "sim/graph/compose/real.h"

namespace okksim::sim::graph::compose {

namespace {

using Operand = std::optional<TensorIndex>;

/// Statistics of groups of channels by pools, so that maps keep their storage order.
class GroupsOfMaps {
 public:
    GroupsOfMaps(OperatorBuilder& ops, const Shape& shape, std::int64_t groups)
        : ops_(ops), images_(shape[0]), channels_(shape[3]), groups_(groups) {}

    /// Means of groups of maps: [N,G,1].
    Real mean(const Real& maps) const {
        const Real pool(ops_, *mean_of_maps(ops_, maps.tensor(), {1, 2}));
        const std::int64_t size = channels_ / groups_;
        const TensorIndex grouped =
            ops_.reshape(pool.tensor(), {images_, groups_, size}, "group_means");
        const Real sums(ops_, reduce_axis(ops_, OpCode::kReduceSum, grouped, 2));
        return sums * (1.0 / static_cast<double>(size));
    }
    /// [N,G,1] to [N,1,1,C].
    Real per_channel(const Real& values) const {
        const std::int64_t size = channels_ / groups_;
        const TensorIndex all = ops_.tile(values.tensor(), {1, 1, size}, "per_channel");
        return {ops_, ops_.reshape(all, {images_, 1, 1, channels_}, "of_channels")};
    }
    /// One value per channel or per group as [1,1,1,C] or [1,G,1].
    Real line(TensorIndex values, bool is_per_group) const {
        const Shape shape = is_per_group ? Shape{1, groups_, 1} : Shape{1, 1, 1, channels_};
        return widened(ops_, reshaped(ops_, values, shape));
    }

 private:
    OperatorBuilder& ops_;
    std::int64_t images_, channels_, groups_;
};

/// Normalises maps [N,H,W,C] of more than one place.
Real normalised_maps(const Real& maps, std::int64_t groups, double epsilon, Operand scale,
                     Operand bias) {
    OperatorBuilder& ops = maps.ops();
    const Shape shape = maps.shape();
    const GroupsOfMaps parts(ops, shape, groups);
    const auto is_per_group = [&](TensorIndex values) { return ops.shape(values)[0] == groups; };
    const Real centred = maps - parts.per_channel(parts.mean(maps));
    Real share = inverse_root_of(parts.mean(centred * centred) + epsilon);
    if (scale && is_per_group(*scale)) share = share * parts.line(*scale, true);
    share = parts.per_channel(share);
    if (scale && !is_per_group(*scale)) share = share * parts.line(*scale, false);
    const Real result = centred * share;
    if (!bias) return result;
    if (!is_per_group(*bias)) return result + parts.line(*bias, false);
    const TensorIndex repeated =
        ops.tile(parts.line(*bias, true).tensor(), {1, 1, shape[3] / groups}, "repeated_bias");
    return result + Real(ops, ops.reshape(repeated, {1, 1, 1, shape[3]}, "channel_bias"));
}

/// Other maps as [N,places,G,C / G].
TensorIndex normalised_rows(OperatorBuilder& ops, TensorIndex x, std::int64_t groups,
                            double epsilon, Operand scale, Operand bias) {
    const Shape shape = ops.shape(x);
    const std::int64_t channels = shape.back();
    const std::int64_t places =
        std::accumulate(shape.begin() + 1, shape.end() - 1, std::int64_t{1}, std::multiplies<>());
    const auto lines = [&](Operand values) {
        if (!values) return values;
        const bool is_per_group = ops.shape(*values)[0] == groups && groups != channels;
        const std::int64_t size = is_per_group ? 1 : channels / groups;
        return Operand(reshaped(ops, *values, {1, 1, groups, size}));
    };
    const TensorIndex maps = ops.reshape(x, {shape[0], places, groups, channels / groups}, "maps");
    const Operand scales = lines(scale);
    const TensorIndex result = layer_norm(ops, maps, {1, 3}, epsilon, scales, lines(bias)).result;
    return ops.reshape(result, shape, "in_shape");
}

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

/// base^-beta. For r = base^(-1/2), base^(-3/4) is r r / sqrt(r).
Real divisor_power(const Real& base, double beta) {
    if (beta == 0.75) {
        const Real root = inverse_root_of(base);
        const Real square = root * root;
        return inverse_root_of(root) * square;
    }
    return {base.ops(), power(base.ops(), base.tensor(), -beta)};
}

bool all_equal(const std::vector<double>& values, double value) {
    return std::all_of(values.begin(), values.end(), [value](double v) { return v == value; });
}

}  // namespace

TensorIndex instance_norm(OperatorBuilder& ops, TensorIndex x, double epsilon, Operand scale,
                          Operand bias) {
    return group_norm(ops, x, ops.shape(x).back(), epsilon, scale, bias);
}

TensorIndex group_norm(OperatorBuilder& ops, TensorIndex x, std::int64_t groups, double epsilon,
                       Operand scale, Operand bias) {
    const Shape shape = ops.shape(x);
    if (!is_whole_map(shape, {1, 2})) return normalised_rows(ops, x, groups, epsilon, scale, bias);
    if (groups == shape[3]) return layer_norm(ops, x, {1, 2}, epsilon, scale, bias).result;
    return in_fp32(ops, x, [&](const Real& maps) {
        return normalised_maps(maps, groups, epsilon, scale, bias);
    });
}

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
        return value * divisor_power(base, beta);
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
            return widened(ops, placed);
        };
        const Real share = inverse_root_of(wide(operands.variance) + epsilon);
        const Real scale = wide(operands.scale) * share;
        const Real moved = wide(operands.mean) * scale;
        const Real offset = wide(operands.bias) - moved;
        return value * scale + offset;
    });
}

}  // namespace okksim::sim::graph::compose
