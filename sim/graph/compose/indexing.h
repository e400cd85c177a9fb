// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "sim/graph/operator_builder.h"

namespace okksim::sim::graph::compose {

/// Indices that the reader knows, row-major. Negative indices count from the end.
struct KnownIndices {
    Shape shape;
    std::vector<std::int64_t> values;
};

/// Elements of `x` along an axis. `indices` have any rank; their dimensions replace the axis.
/// Run-time indices are i32; with `may_be_negative`, negative ones count from the end.
TensorIndex gather(OperatorBuilder& ops, TensorIndex x, const KnownIndices& indices,
                   std::size_t axis);
TensorIndex gather(OperatorBuilder& ops, TensorIndex x, TensorIndex indices, std::size_t axis,
                   bool may_be_negative = true);
/// TFLite's GATHER: the first `batch_dims` dimensions of `x` and `indices` are common.
TensorIndex gather_batched(OperatorBuilder& ops, TensorIndex x, TensorIndex indices,
                           std::size_t axis, std::size_t batch_dims, bool may_be_negative = true);
/// Rows of a table [rows, ...] at `ids`.
TensorIndex embedding(OperatorBuilder& ops, TensorIndex table, TensorIndex ids);

/// result[i][j] = x[indices[i][j]][j] for axis 0; `indices` have the rank of `x`.
TensorIndex gather_elements(OperatorBuilder& ops, TensorIndex x, const KnownIndices& indices,
                            std::size_t axis);
TensorIndex gather_elements(OperatorBuilder& ops, TensorIndex x, TensorIndex indices,
                            std::size_t axis);
/// The last dimension of `indices` holds positions in the dimensions of `x` after `batch_dims`.
TensorIndex gather_nd(OperatorBuilder& ops, TensorIndex x, const KnownIndices& indices,
                      std::size_t batch_dims = 0);
TensorIndex gather_nd(OperatorBuilder& ops, TensorIndex x, TensorIndex indices,
                      std::size_t batch_dims = 0);

enum class ScatterReduction { kNone, kAdd, kMultiply, kMaximum, kMinimum };

/// Writes `updates` to the positions of `indices` in `x`, or combines them with the elements.
/// Known indices may repeat; the last one counts for kNone. Repeated run-time indices are legal
/// only with a reduction. Run-time kMultiply exists only for floating-point types.
TensorIndex scatter_nd(OperatorBuilder& ops, TensorIndex x, const KnownIndices& indices,
                       TensorIndex updates, ScatterReduction reduction = ScatterReduction::kNone);
TensorIndex scatter_nd(OperatorBuilder& ops, TensorIndex x, TensorIndex indices,
                       TensorIndex updates, ScatterReduction reduction = ScatterReduction::kNone);
/// x[indices[i][j]][j] = updates[i][j] for axis 0.
TensorIndex scatter_elements(OperatorBuilder& ops, TensorIndex x, const KnownIndices& indices,
                             TensorIndex updates, std::size_t axis,
                             ScatterReduction reduction = ScatterReduction::kNone);
TensorIndex scatter_elements(OperatorBuilder& ops, TensorIndex x, TensorIndex indices,
                             TensorIndex updates, std::size_t axis,
                             ScatterReduction reduction = ScatterReduction::kNone);

/// Adds a dimension of `depth` elements before `axis`: `on` at each index and `off` elsewhere. Both
/// have one element. With `may_be_negative`, indices from -depth count from the end.
TensorIndex one_hot(OperatorBuilder& ops, TensorIndex indices, std::int64_t depth, TensorIndex on,
                    TensorIndex off, std::size_t axis, bool may_be_negative = true);

/// Part of one dimension by numpy's rules: negative positions count from the end, and positions
/// outside are clamped. A negative step with an end of INT64_MIN includes element 0.
struct SliceRange {
    std::int64_t start = 0;
    std::int64_t end = INT64_MAX;
    std::int64_t step = 1;
};
/// Returns the first position and the number of elements; the number may be zero.
struct SliceElements {
    std::int64_t first = 0;
    std::int64_t count = 0;
};
SliceElements slice_elements(const SliceRange& range, std::int64_t size);
/// One range for each dimension. The reader has refused empty results.
TensorIndex strided_slice(OperatorBuilder& ops, TensorIndex x,
                          const std::vector<SliceRange>& ranges);
/// Slice at a run-time start (i32 [rank]), which is clamped so that the slice is inside.
TensorIndex dynamic_slice(OperatorBuilder& ops, TensorIndex x, TensorIndex start,
                          const Shape& size);
/// `x` with `update` at a run-time start (i32 [rank]), which is clamped in the same way.
TensorIndex dynamic_update_slice(OperatorBuilder& ops, TensorIndex x, TensorIndex update,
                                 TensorIndex start);

struct TopElements {
    TensorIndex values;
    TensorIndex indices;  ///< i32
};
/// The first `k` elements along an axis in descending order, or ascending without `largest`.
/// Equal elements are in the order of their indices.
TopElements top_k(OperatorBuilder& ops, TensorIndex x, std::int64_t k, std::size_t axis,
                  bool largest = true);

/// Keeps the upper or lower triangle of the last two dimensions. `k` moves the diagonal right.
TensorIndex trilu(OperatorBuilder& ops, TensorIndex x, bool upper, std::int64_t k);

/// Reverses the first `lengths[b]` elements along `time_axis` of each batch element.
TensorIndex reverse_sequence(OperatorBuilder& ops, TensorIndex x,
                             const std::vector<std::int64_t>& lengths, std::size_t batch_axis,
                             std::size_t time_axis);
TensorIndex reverse_sequence(OperatorBuilder& ops, TensorIndex x, TensorIndex lengths,
                             std::size_t batch_axis, std::size_t time_axis);

}  // namespace okksim::sim::graph::compose
