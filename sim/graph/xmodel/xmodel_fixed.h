// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "sim/graph/operator_builder.h"
#include "sim/graph/xmodel/xmodel_value.h"

namespace okksim::sim::graph::xmodel {

/// Fixed-point arithmetic of XINT8, exact: sums are kI32 integers with a number of fraction bits.
class FixedPoint {
 public:
    explicit FixedPoint(OperatorBuilder& ops) : ops_(ops) {}

    /// x / 2^cut, rounded and limited to -128 .. 127; |x| <= `bound`, `cut` may be negative.
    TensorIndex scaled(TensorIndex x, int cut, Rounding rounding, std::int64_t bound);

    /// Integers of a value at another fix_point.
    TensorIndex moved(TensorIndex x, int from, int to, Rounding rounding);

    /// numerator / divisor (a positive constant), rounded and limited; |numerator| < 2^29 and
    /// divisor < 2^29.
    TensorIndex divided(TensorIndex numerator, std::int32_t divisor, Rounding rounding);

    /// A kI8 of the given fix_point without what `nonlinear` (NONE, RELU, RELU6) takes away.
    TensorIndex activated(const NodeView& node, TensorIndex x, int fix_point, Rounding rounding);

 private:
    TensorIndex number(TensorIndex like, double value) {
        return ops_.number(DType::kI32, ops_.rank(like), value);
    }

    OperatorBuilder& ops_;
};

}  // namespace okksim::sim::graph::xmodel
