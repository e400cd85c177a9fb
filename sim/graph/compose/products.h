// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "sim/graph/operator_builder.h"

namespace okksim::sim::graph::compose {

struct MatmulOptions {
    bool transpose_a = false;  ///< of the last two dimensions
    bool transpose_b = false;
    std::int64_t zero_point_a = 0;  ///< of i8
    std::int64_t zero_point_b = 0;
};
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
