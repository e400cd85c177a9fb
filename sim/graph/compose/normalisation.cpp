// SPDX-License-Identifier: Apache-2.0
// Softmax and normalisations by statistics of the values. The machine runs these sequences of
// operators as one kernel if they reduce one axis (kernels/rows).
#include "sim/graph/compose/normalisation.h"

#include <algorithm>

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
          merged_(merged(widened(ops, x), axes)) {}

    Real values() const { return {ops_, merged_.tensor}; }
    Real sum(const Real& x) const {
        return {ops_, reduce_axes(ops_, OpCode::kReduceSum, x.tensor(), merged_.axes)};
    }
    Real mean(const Real& x) const {
        if (const auto pool = mean_of_maps(ops_, x.tensor(), merged_.axes)) return {ops_, *pool};
        return sum(x) * (1.0 / merged_.count);
    }
    Real largest(const Real& x) const {
        return {ops_, reduce_axes(ops_, OpCode::kReduceMax, x.tensor(), merged_.axes)};
    }
    /// Whether no dimensions are merged.
    bool keeps_axes() const { return merged_.axes == axes_; }
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
    /// Feature maps keep their dimensions, because mean_of_maps() takes them.
    static MergedAxes merged(const Real& x, const std::vector<std::size_t>& axes) {
        if (is_whole_map(x.shape(), axes)) {
            return {x.tensor(), axes, static_cast<double>(x.shape()[1] * x.shape()[2])};
        }
        return merge_axes(x.ops(), x.tensor(), axes);
    }

    OperatorBuilder& ops_;
    DType type_;
    Shape shape_;
    std::vector<std::size_t> axes_;
    MergedAxes merged_;
};

/// x scale + bias, where the operands exist.
Real with_lines(OperatorBuilder& ops, Real x, std::optional<TensorIndex> scale,
                std::optional<TensorIndex> bias) {
    if (scale) x = x * widened(ops, *scale);
    if (bias) x = x + widened(ops, *bias);
    return x;
}

/// Whether the operand has one value for all elements that a statistic joins.
bool is_constant_along(OperatorBuilder& ops, TensorIndex x, std::size_t rank,
                       const std::vector<std::size_t>& axes) {
    const Shape& shape = ops.shape(x);
    return std::all_of(axes.begin(), axes.end(), [&](std::size_t axis) {
        return axis + shape.size() < rank || shape[axis + shape.size() - rank] == 1;
    });
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
    Real factor = share;
    if (scale && is_constant_along(ops, *scale, ops.rank(x), axes) && rows.keeps_axes()) {
        factor = share * widened(ops, *scale);
        scale.reset();
    }
    const Real lines = with_lines(ops, rows.in_shape(centred * factor), scale, bias);
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
