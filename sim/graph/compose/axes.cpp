// SPDX-License-Identifier: Apache-2.0
#include "sim/graph/compose/axes.h"

#include <algorithm>
#include <array>
#include <numeric>

#include "sim/graph/compose/host_values.h"

namespace okksim::sim::graph::compose {

namespace {

bool contains(const std::vector<std::size_t>& axes, std::size_t axis) {
    return std::find(axes.begin(), axes.end(), axis) != axes.end();
}

Attributes reduction_attributes(OpCode op, std::int32_t axis) {
    constexpr auto kPropagate = NanPropagationMode::kPropagate;
    switch (op) {
        case OpCode::kReduceMax: return ReduceMaxAttributes{axis, kPropagate};
        case OpCode::kReduceMin: return ReduceMinAttributes{axis, kPropagate};
        case OpCode::kReduceProduct: return ReduceProductAttributes{axis};
        case OpCode::kReduceAll: return ReduceAllAttributes{axis};
        case OpCode::kReduceAny: return ReduceAnyAttributes{axis};
        default: return ReduceSumAttributes{axis};
    }
}

/// The extents of a pool over whole feature maps.
std::array<std::int32_t, 2> map_extents(const Shape& shape) {
    return {static_cast<std::int32_t>(shape[1]), static_cast<std::int32_t>(shape[2])};
}

}  // namespace

bool is_whole_map(const Shape& shape, const std::vector<std::size_t>& axes) {
    constexpr std::int64_t kMostExtent = 8192;  // MAX_KERNEL of level 8K
    if (shape.size() != 4 || axes != std::vector<std::size_t>{1, 2}) return false;
    return shape[1] <= kMostExtent && shape[2] <= kMostExtent && shape[1] * shape[2] > 1;
}

TensorIndex reduce_axis(OperatorBuilder& ops, OpCode op, TensorIndex x, std::size_t axis) {
    Shape shape = ops.shape(x);
    if (shape[axis] == 1) return x;
    shape[axis] = 1;
    return ops.block().add(op, reduction_attributes(op, static_cast<std::int32_t>(axis)), {x},
                           ops.type(x), shape, "reduction");
}

Shape reduced_shape(const Shape& shape, const std::vector<std::size_t>& axes, bool keep_dims) {
    Shape result;
    for (std::size_t i = 0; i < shape.size(); ++i) {
        if (!contains(axes, i)) {
            result.push_back(shape[i]);
        } else if (keep_dims) {
            result.push_back(1);
        }
    }
    return result;
}

MergedAxes merge_axes(OperatorBuilder& ops, TensorIndex x, const std::vector<std::size_t>& axes) {
    const Shape shape = ops.shape(x);
    MergedAxes result{x, {}, 1};
    bool is_mergeable = false;
    for (std::size_t i = 0; i < axes.size(); ++i) {
        result.count *= static_cast<double>(shape[axes[i]]);
        is_mergeable = is_mergeable || (i > 0 && axes[i] == axes[i - 1] + 1);
    }
    result.axes = axes;
    if (!is_mergeable) return result;
    result.axes.clear();
    Shape merged;
    for (std::size_t i = 0; i < shape.size(); ++i) {
        const bool is_reduced = contains(axes, i);
        if (is_reduced && i > 0 && contains(axes, i - 1)) {
            merged.back() *= shape[i];
            continue;
        }
        if (is_reduced) result.axes.push_back(merged.size());
        merged.push_back(shape[i]);
    }
    result.tensor = ops.reshape(x, merged, "merged");
    return result;
}

TensorIndex reduce_axes(OperatorBuilder& ops, OpCode op, TensorIndex x,
                        const std::vector<std::size_t>& axes) {
    for (const std::size_t axis : axes) x = reduce_axis(ops, op, x, axis);
    return x;
}

std::optional<TensorIndex> mean_of_maps(OperatorBuilder& ops, TensorIndex x,
                                        const std::vector<std::size_t>& axes) {
    const Shape shape = ops.shape(x);
    const DType type = ops.type(x);
    if (!is_whole_map(shape, axes) || !is_floating_point(type)) return std::nullopt;
    const TensorIndex zero = ops.number(type, 1, 0);
    const AvgPool2dAttributes attributes{map_extents(shape), {1, 1}, {0, 0, 0, 0}, DType::kFp32};
    return ops.block().add(OpCode::kAvgPool2d, attributes, {x, zero, zero}, type,
                           {shape[0], 1, 1, shape[3]}, "mean");
}

std::optional<TensorIndex> largest_of_maps(OperatorBuilder& ops, TensorIndex x,
                                           const std::vector<std::size_t>& axes) {
    const Shape shape = ops.shape(x);
    const DType type = ops.type(x);
    const bool has_pool = is_floating_point(type) || type == DType::kI8 || type == DType::kI16;
    if (!is_whole_map(shape, axes) || !has_pool) return std::nullopt;
    const MaxPool2dAttributes attributes{
        map_extents(shape), {1, 1}, {0, 0, 0, 0}, NanPropagationMode::kPropagate};
    return ops.block().add(OpCode::kMaxPool2d, attributes, {x}, type, {shape[0], 1, 1, shape[3]},
                           "largest");
}

std::vector<std::int32_t> exchange(std::size_t rank, std::size_t x, std::size_t y) {
    std::vector<std::int32_t> perms(rank);
    std::iota(perms.begin(), perms.end(), 0);
    std::swap(perms[x], perms[y]);
    return perms;
}

TensorIndex positions(OperatorBuilder& ops, std::size_t rank, std::size_t axis, std::int64_t size) {
    return index_values(ops, with_dimension(Shape(rank, 1), axis, size), counting(size),
                        "positions");
}

TensorIndex along_axis(OperatorBuilder& ops, TensorIndex x, std::size_t rank, std::size_t axis) {
    Shape shape(rank, 1);
    shape[axis] = ops.shape(x)[0];
    return reshaped(ops, x, shape);
}

TensorIndex matrix_product(OperatorBuilder& ops, TensorIndex x, TensorIndex y,
                           std::string_view role) {
    const TensorIndex zero = ops.number(ops.type(x), 1, 0);
    const Shape result{ops.shape(x)[0], ops.shape(x)[1], ops.shape(y)[2]};
    return ops.block().add(OpCode::kMatmul, NoAttributes{}, {x, y, zero, zero}, DType::kFp32,
                           result, role);
}

}  // namespace okksim::sim::graph::compose
