// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "sim/graph/onnx/onnx_quantisation.h"

namespace okksim::sim::graph::onnx {

/// A factor of an integer product: held numbers of 8 bits and their held zero point.
struct IntegerFactor {
    TensorIndex held = 0;
    std::int64_t zero_point = 0;
    /// Zero points of run time, or of each row or column: i32. `zero_point` is then 0.
    std::optional<TensorIndex> zero_points;
};

/// Returns operand `at` with the optional zero point at `zero_at`. Zero points of the first factor
/// belong to its rows, those of the second one to its columns.
IntegerFactor integer_factor(const Call& call, std::size_t at, std::size_t zero_at, bool is_first);
/// (a - zero point) (b - zero point) as i32, by numpy's rules.
TensorIndex integer_matmul(OperatorBuilder& ops, const IntegerFactor& a, const IntegerFactor& b,
                           bool transpose_a = false, bool transpose_b = false);

/// Scales of integer sums and the quantisation of their result. `x` may have a scale per row, and
/// `w` one per element of the last dimension.
struct SumScales {
    Quantisation x;
    Quantisation w;
    double factor = 1;
};
/// Returns i32 sums as fp32.
TensorIndex real_sums(const Call& call, TensorIndex sums, const SumScales& scales);
/// Returns i32 sums as held numbers of `y`: by RESCALE if the scales are known.
TensorIndex quantised_sums(const Call& call, TensorIndex sums, const SumScales& scales,
                           const Quantisation& y);

/// Refuses operands other than int8 and uint8.
void require_bytes(const Call& call, const Value& value);

}  // namespace okksim::sim::graph::onnx
