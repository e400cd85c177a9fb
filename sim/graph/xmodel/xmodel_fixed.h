// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "sim/graph/operator_builder.h"
#include "sim/graph/xmodel/xmodel_value.h"

namespace okksim::sim::graph::xmodel {

/// Exact fixed-point arithmetic of XINT8. Sums are kI32 integers with a number of fraction bits.
class FixedPoint {
 public:
    explicit FixedPoint(OperatorBuilder& ops) : ops_(ops) {}

    /// Computes x / 2^cut, rounded and saturated to -128 .. 127; |x| <= `bound`, `cut` may be
    /// negative.
    TensorIndex scaled(TensorIndex x, int cut, Rounding rounding, std::int64_t bound);

    /// Converts integers to another fix_point.
    TensorIndex moved(TensorIndex x, int from, int to, Rounding rounding);

    /// Computes numerator / divisor (a positive constant), rounded and saturated; |numerator| <
    /// 2^29 and divisor < 2^29.
    TensorIndex divided(TensorIndex numerator, std::int32_t divisor, Rounding rounding);

    /// Applies `nonlinear` (NONE, RELU, RELU6) to a kI8 of the given fix_point.
    TensorIndex activated(const NodeView& node, TensorIndex x, int fix_point, Rounding rounding);

 private:
    TensorIndex number(TensorIndex like, double value) {
        return ops_.number(DType::kI32, ops_.rank(like), value);
    }

    OperatorBuilder& ops_;
};

}  // namespace okksim::sim::graph::xmodel
