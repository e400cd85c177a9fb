// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "sim/graph/compose/products.h"

namespace okksim::sim::graph::compose {

/// matmul() whose result has the accumulator's type: fp32 for floating-point types.
TensorIndex wide_matmul(OperatorBuilder& ops, TensorIndex a, TensorIndex b,
                        const MatmulOptions& options = {});
/// Product of [batch, rows, terms] and [batch, terms, columns] in the accumulator's type.
TensorIndex matmul_batches(OperatorBuilder& ops, TensorIndex a, TensorIndex b,
                           const MatmulOptions& options = {});

}  // namespace okksim::sim::graph::compose
