// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "sim/graph/onnx/onnx_call.h"

namespace okksim::sim::graph::onnx {

/// Returns the shape of a matrix product by numpy's rules; a fault if the operands do not match.
/// `a` and `b` are the numbers of the operands; transposes exchange the last two dimensions.
Shape matrix_product_shape(const Call& call, std::size_t a, std::size_t b, bool transpose_a = false,
                           bool transpose_b = false);
Shape matrix_product_shape(const Call& call, Shape a, Shape b, bool transpose_a, bool transpose_b);

/// Refuses an addend that does not broadcast to the result of a product.
void check_addend(const Call& call, std::size_t n, const Shape& result);

}  // namespace okksim::sim::graph::onnx
