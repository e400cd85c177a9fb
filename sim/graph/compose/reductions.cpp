// SPDX-License-Identifier: Apache-2.0
#include "sim/graph/compose/reductions.h"

#include <algorithm>
#include <limits>
#include <numeric>

#include "sim/graph/compose/axes.h"
#include "sim/graph/compose/float_functions.h"
#include "sim/graph/compose/host_values.h"
#include "sim/graph/compose/integer_functions.h"
#include "sim/graph/compose/real.h"

namespace okksim::sim::graph::compose {

namespace {

/// A reduction in one type, over merged axes.
class Reducer {
 public:
    Reducer(OperatorBuilder& ops, const MergedAxes& merged) : ops_(ops), merged_(merged) {}

    TensorIndex reduced(OpCode op, TensorIndex x) const {
        for (const std::size_t axis : merged_.axes) x = reduce_axis(ops_, op, x, axis);
        return x;
    }
    TensorIndex sum(TensorIndex x) const { return reduced(OpCode::kReduceSum, x); }

    TensorIndex of_reals(Reduction kind, TensorIndex x) const {
        const Real value(ops_, x);
        switch (kind) {
            case Reduction::kMean: return (Real(ops_, sum(x)) * (1.0 / merged_.count)).tensor();
            case Reduction::kProduct: return reduced(OpCode::kReduceProduct, x);
            case Reduction::kL1: return sum(absolute(ops_, x));
            case Reduction::kL2: return root_of({ops_, sum(square(ops_, x))}).tensor();
            case Reduction::kLogSum: return logarithm(ops_, sum(x));
            case Reduction::kLogSumExp: return log_sum_exp(value).tensor();
            case Reduction::kSumSquare: return sum(square(ops_, x));
            default: return sum(x);
        }
    }

    TensorIndex of_integers(Reduction kind, TensorIndex x) const {
        switch (kind) {
            case Reduction::kMean: {
                const TensorIndex total = sum(x);
                const TensorIndex count = ops_.number(DType::kI32, ops_.rank(x), merged_.count);
                return integer_divide(ops_, total, count);
            }
            case Reduction::kProduct: return product(x);
            case Reduction::kL1: return sum(integer_absolute(ops_, x));
            case Reduction::kSumSquare: return sum(ops_.product(x, x, "square"));
            case Reduction::kSum: return sum(x);
            default: {
                const TensorIndex real = ops_.cast(x, DType::kFp32, "real");
                const TensorIndex whole = truncate(ops_, of_reals(kind, real));
                return ops_.cast(whole, DType::kI32, "whole");
            }
        }
    }

 private:
    /// The largest value is limited, so that infinite ones give no differences of infinities.
    Real log_sum_exp(const Real& value) const {
        constexpr double kMost = std::numeric_limits<float>::max();
        const Real largest =
            limited({ops_, reduced(OpCode::kReduceMax, value.tensor())}, -kMost, kMost);
        const Real powers = exp_of(value - largest);
        return log_of({ops_, sum(powers.tensor())}) + largest;
    }

    /// REDUCE_PRODUCT lacks integers: halves of the axis are multiplied until one element is left.
    TensorIndex product(TensorIndex x) const {
        for (const std::size_t axis : merged_.axes) {
            while (ops_.shape(x)[axis] > 1) {
                const std::int64_t size = ops_.shape(x)[axis];
                const std::int64_t half = size / 2;
                const TensorIndex pairs = ops_.product(part(ops_, x, axis, 0, half),
                                                       part(ops_, x, axis, half, half), "pairs");
                if (size % 2 == 0) {
                    x = pairs;
                } else {
                    x = ops_.concat({pairs, part(ops_, x, axis, size - 1, 1)}, axis, "rest");
                }
            }
        }
        return x;
    }

    OperatorBuilder& ops_;
    const MergedAxes& merged_;
};

bool is_extremum(Reduction kind) { return kind == Reduction::kMax || kind == Reduction::kMin; }

OpCode extremum_operator(Reduction kind, DType type) {
    if (kind == Reduction::kAll) return OpCode::kReduceAll;
    if (kind == Reduction::kAny) return OpCode::kReduceAny;
    if (type == DType::kBool) {
        return kind == Reduction::kMax ? OpCode::kReduceAny : OpCode::kReduceAll;
    }
    return kind == Reduction::kMax ? OpCode::kReduceMax : OpCode::kReduceMin;
}

std::optional<TensorIndex> global_pool(OperatorBuilder& ops, Reduction kind, TensorIndex x,
                                       const std::vector<std::size_t>& axes) {
    if (kind == Reduction::kMean) return mean_of_maps(ops, x, axes);
    return kind == Reduction::kMax ? largest_of_maps(ops, x, axes) : std::nullopt;
}

}  // namespace

TensorIndex reduce(OperatorBuilder& ops, Reduction kind, TensorIndex x,
                   const std::vector<std::size_t>& axes, bool keep_dims) {
    const Shape result = reduced_shape(ops.shape(x), axes, keep_dims);
    if (const auto pool = global_pool(ops, kind, x, axes)) {
        return ops.reshape(*pool, result, "reduced");
    }
    const DType type = ops.type(x);
    const MergedAxes merged = merge_axes(ops, x, axes);
    const Reducer reducer(ops, merged);
    TensorIndex value = merged.tensor;
    if (is_extremum(kind) || type == DType::kBool) {
        value = reducer.reduced(extremum_operator(kind, type), value);
    } else if (is_floating_point(type)) {
        value = reducer.of_reals(kind, ops.cast(value, DType::kFp32, "widened"));
    } else {
        value = reducer.of_integers(kind, ops.cast(value, DType::kI32, "widened"));
    }
    return ops.reshape(ops.cast(value, type, "narrowed"), result, "reduced");
}

}  // namespace okksim::sim::graph::compose
