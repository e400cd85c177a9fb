// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <functional>

#include "sim/graph/operator_builder.h"

namespace okksim::sim::graph::compose {

struct MatmulOptions {
    bool transpose_a = false;  ///< of the last two dimensions
    bool transpose_b = false;
    std::int64_t zero_point_a = 0;  ///< of i8
    std::int64_t zero_point_b = 0;
    /// Applied to the sums [batch, rows, columns] before they are reshaped; for example a RESCALE.
    /// i48 sums need it unless the product has this shape, because TOSA does not reshape i48.
    std::function<TensorIndex(TensorIndex)> finish;
};
/// matmul() of products.h whose result has the accumulator's type: fp32 for floating-point types.
TensorIndex wide_matmul(OperatorBuilder& ops, TensorIndex a, TensorIndex b,
                        const MatmulOptions& options = {});
/// Product of [batch, rows, terms] and [batch, terms, columns] in the accumulator's type.
TensorIndex matmul_batches(OperatorBuilder& ops, TensorIndex a, TensorIndex b,
                           const MatmulOptions& options = {});

}  // namespace okksim::sim::graph::compose
