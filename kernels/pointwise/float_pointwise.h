// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "kernels/pointwise/pointwise.h"
#include "kernels/pointwise/tile_program.h"

namespace okksim::kernels {

/// An operator whose body float_body() knows, its followers included.
class FloatOperator {
 public:
    explicit FloatOperator(const OperatorCall& call);

    /// The operator as work on tiles; two operands broadcast. This must outlive it.
    PointwiseOperator pointwise(const Lanes& lanes) const;

 private:
    /// One command on elements of 16 bits as they lie; none where there are followers.
    std::optional<PointwiseOperator> of_halves(const Lanes& lanes) const;

    const OperatorCall& call_;
    FloatBody body_;
    TileProgram program_;
};

/// Carries such an operator out.
void run_float_pointwise(const OperatorCall& call);

}  // namespace okksim::kernels
