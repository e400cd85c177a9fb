// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "sim/graph/compose/wide_products.h"

namespace okksim::sim::graph::compose {

/// Matrix product by numpy's rules, for operands of rank 1 or more. The result has the type of
/// `a`, but i32 for i8 and i48 for i16. i32 operands are multiplied element by element.
TensorIndex matmul(OperatorBuilder& ops, TensorIndex a, TensorIndex b,
                   const MatmulOptions& options = {});

struct GemmOptions {
    double alpha = 1;
    double beta = 1;
    bool transpose_a = false;
    bool transpose_b = false;
};
/// alpha * A * B + beta * C, of floating-point matrices or i32; C broadcasts.
TensorIndex gemm(OperatorBuilder& ops, TensorIndex a, TensorIndex b, std::optional<TensorIndex> c,
                 const GemmOptions& options = {});

/// Reason why an einsum equation does not fit its operands; empty if it does. The reader asks
/// before einsum().
std::string einsum_problem(std::string_view equation, const std::vector<Shape>& operands);
/// Sum of products by an equation such as "b...ij,bjk->...ik", of floating-point types or i32.
TensorIndex einsum(OperatorBuilder& ops, std::string_view equation,
                   const std::vector<TensorIndex>& operands);

}  // namespace okksim::sim::graph::compose
