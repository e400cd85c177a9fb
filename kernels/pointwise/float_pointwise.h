// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "kernels/pointwise/pointwise.h"
#include "kernels/pointwise/tile_program.h"

namespace okksim::kernels {

/// An operator with a float_body(), including its followers.
class FloatOperator {
 public:
    explicit FloatOperator(const OperatorCall& call);

    /// The operator as work on tiles; two operands broadcast. This object must outlive the result.
    PointwiseOperator pointwise(const Lanes& lanes) const;

 private:
    /// One command on packed elements of 16 bits; nothing if there are followers.
    std::optional<PointwiseOperator> of_halves(const Lanes& lanes) const;

    const OperatorCall& call_;
    FloatBody body_;
    TileProgram program_;
};

/// Runs such an operator.
void run_float_pointwise(const OperatorCall& call);

}  // namespace okksim::kernels
