// SPDX-License-Identifier: Apache-2.0
// Softmax and normalisations by statistics of the values. The machine runs these sequences of
// operators as one kernel if they reduce one axis (kernels/rows).
#include "sim/graph/compose/normalisation.h"

#include <numeric>

#include "sim/graph/compose/axes.h"
#include "sim/graph/compose/real.h"
#include "sim/graph/compose/reductions.h"

namespace okksim::sim::graph::compose {

namespace {

/// fp32 values with merged axes, and the way back to the shape and type of the operand.
class Rows {
 public:
    Rows(OperatorBuilder& ops, TensorIndex x, const std::vector<std::size_t>& axes)
        : ops_(ops),
          type_(ops.type(x)),
          shape_(ops.shape(x)),
          axes_(axes),
          merged_(merge_axes(ops, ops.cast(x, DType::kFp32, "widened"), axes)) {}

    Real values() const { return {ops_, merged_.tensor}; }
    Real sum(const Real& x) const {
        return {ops_, reduce_axes(ops_, OpCode::kReduceSum, x.tensor(), merged_.axes)};
    }
    Real mean(const Real& x) const { return sum(x) * (1.0 / merged_.count); }
    Real largest(const Real& x) const {
        return {ops_, reduce_axes(ops_, OpCode::kReduceMax, x.tensor(), merged_.axes)};
    }
    /// The value in the shape of the operand, still fp32.
    Real in_shape(const Real& x) const {
        return {ops_, ops_.reshape(x.tensor(), shape_, "in_shape")};
    }
    TensorIndex statistic(const Real& x) const {
        return ops_.reshape(x.tensor(), reduced_shape(shape_, axes_, true), "statistic");
    }
    TensorIndex result(const Real& x) const {
        return ops_.cast(in_shape(x).tensor(), type_, "narrowed");
    }

 private:
    OperatorBuilder& ops_;
    DType type_;
    Shape shape_;
    std::vector<std::size_t> axes_;
    MergedAxes merged_;
};

Real wide_operand(OperatorBuilder& ops, TensorIndex x) {
    return {ops, ops.cast(x, DType::kFp32, "widened")};
}

/// x scale + bias, where the operands exist.
Real with_lines(OperatorBuilder& ops, Real x, std::optional<TensorIndex> scale,
                std::optional<TensorIndex> bias) {
    if (scale) x = x * wide_operand(ops, *scale);
    if (bias) x = x + wide_operand(ops, *bias);
    return x;
}

std::optional<TensorIndex> given_reshaped(OperatorBuilder& ops, std::optional<TensorIndex> x,
                                          const Shape& shape) {
    if (!x) return x;
    return ops.reshape(*x, shape, "per_channel");
}

}  // namespace

TensorIndex softmax(OperatorBuilder& ops, TensorIndex x, const std::vector<std::size_t>& axes) {
    const Rows rows(ops, x, axes);
    const Real powers = exp_of(rows.values() - rows.largest(rows.values()));
    return rows.result(powers * inverse_of(rows.sum(powers)));
}

TensorIndex log_softmax(OperatorBuilder& ops, TensorIndex x, const std::vector<std::size_t>& axes) {
    const Rows rows(ops, x, axes);
    const Real below = rows.values() - rows.largest(rows.values());
    return rows.result(below - log_of(rows.sum(exp_of(below))));
}

TensorIndex hardmax(OperatorBuilder& ops, TensorIndex x, std::size_t axis) {
    const std::size_t rank = ops.rank(x);
    const TensorIndex best = arg_max(ops, x, axis, true);
    const TensorIndex is_best =
        ops.test(OpCode::kEqual, positions(ops, rank, axis, ops.shape(x)[axis]), best, "is_best");
    const DType type = ops.type(x);
    return ops.select(is_best, ops.number(type, rank, 1), ops.number(type, rank, 0), "hardmax");
}

Normalised layer_norm(OperatorBuilder& ops, TensorIndex x, const std::vector<std::size_t>& axes,
                      double epsilon, std::optional<TensorIndex> scale,
                      std::optional<TensorIndex> bias, bool wants_statistics) {
    const Rows rows(ops, x, axes);
    const Real mean = rows.mean(rows.values());
    const Real centred = rows.values() - mean;
    const Real share = inverse_root_of(rows.mean(centred * centred) + epsilon);
    const Real lines = with_lines(ops, rows.in_shape(centred * share), scale, bias);
    Normalised results{rows.result(lines), 0, 0};
    if (wants_statistics) {
        results.mean = rows.statistic(mean);
        results.inverse_deviation = rows.statistic(share);
    }
    return results;
}

Normalised rms_norm(OperatorBuilder& ops, TensorIndex x, const std::vector<std::size_t>& axes,
                    double epsilon, std::optional<TensorIndex> scale, bool wants_statistics) {
    const Rows rows(ops, x, axes);
    const Real values = rows.values();
    const Real share = inverse_root_of(rows.mean(values * values) + epsilon);
    const Real lines = with_lines(ops, rows.in_shape(values * share), scale, {});
    Normalised results{rows.result(lines), 0, 0};
    if (wants_statistics) results.inverse_deviation = rows.statistic(share);
    return results;
}

TensorIndex instance_norm(OperatorBuilder& ops, TensorIndex x, double epsilon,
                          std::optional<TensorIndex> scale, std::optional<TensorIndex> bias) {
    return group_norm(ops, x, ops.shape(x).back(), epsilon, scale, bias);
}

TensorIndex group_norm(OperatorBuilder& ops, TensorIndex x, std::int64_t groups, double epsilon,
                       std::optional<TensorIndex> scale, std::optional<TensorIndex> bias) {
    const Shape shape = ops.shape(x);
    const std::int64_t channels = shape.back();
    const std::int64_t places =
        std::accumulate(shape.begin() + 1, shape.end() - 1, std::int64_t{1}, std::multiplies<>());
    // One group and groups of one channel reduce a single axis.
    Shape grouped{shape[0], places, groups, channels / groups};
    std::vector<std::size_t> axes{1, 3};
    Shape lines{1, 1, groups, channels / groups};
    if (groups == channels) {
        grouped = {shape[0], places, channels};
        axes = {1};
        lines = {1, 1, channels};
    } else if (groups == 1) {
        grouped = {shape[0], places, channels};
        axes = {1, 2};
        lines = {1, 1, channels};
    }
    const auto in_lines = [&](std::optional<TensorIndex> values) {
        const bool is_per_group = values && ops.shape(*values)[0] == groups;
        const Shape per_group = groups == channels || groups == 1 ? lines : Shape{1, 1, groups, 1};
        if (is_per_group && groups == 1) return given_reshaped(ops, values, {1, 1, 1});
        return given_reshaped(ops, values, is_per_group ? per_group : lines);
    };
    const TensorIndex maps = ops.reshape(x, grouped, "groups");
    const TensorIndex result =
        layer_norm(ops, maps, axes, epsilon, in_lines(scale), in_lines(bias)).result;
    return ops.reshape(result, shape, "maps");
}

TensorIndex mean_variance_normalisation(OperatorBuilder& ops, TensorIndex x,
                                        const std::vector<std::size_t>& axes) {
    constexpr double kEpsilon = 1e-9;
    const Rows rows(ops, x, axes);
    const Real centred = rows.values() - rows.mean(rows.values());
    const Real deviation = root_of(rows.mean(centred * centred));
    return rows.result(centred * inverse_of(deviation + kEpsilon));
}

TensorIndex lp_normalisation(OperatorBuilder& ops, TensorIndex x, int p, std::size_t axis) {
    constexpr double kLeast = 0x1p-126;  // its reciprocal and root are finite
    const Rows rows(ops, x, {axis});
    const Real values = rows.values();
    if (p == 1) {
        const Real norm = rows.sum(magnitude_of(values));
        return rows.result(values * inverse_of(larger(norm, kLeast)));
    }
    return rows.result(values * inverse_root_of(larger(rows.sum(values * values), kLeast)));
}

}  // namespace okksim::sim::graph::compose
