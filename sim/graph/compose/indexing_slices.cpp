// SPDX-License-Identifier: Apache-2.0
// Slices with steps, and slices at run-time positions.
#include <algorithm>

#include "sim/graph/compose/host_values.h"
#include "sim/graph/compose/indexing.h"

namespace okksim::sim::graph::compose {

namespace {

std::int64_t clamped_bound(std::int64_t at, std::int64_t size, std::int64_t low,
                           std::int64_t high) {
    // INT64_MIN and INT64_MAX stay outside.
    const std::int64_t from_start = at < 0 && at >= -size ? at + size : at;
    return std::clamp(from_start, low, high);
}

/// Takes every `step`-th element from the first one on.
TensorIndex stepped(OperatorBuilder& ops, TensorIndex x, std::size_t axis, std::int64_t step) {
    if (step == 1) return x;
    const Shape shape = ops.shape(x);
    const std::int64_t count = (shape[axis] + step - 1) / step;
    if (count == 1) return part(ops, x, axis, 0, 1);
    Shape padding(2 * shape.size(), 0);
    padding[2 * axis + 1] = count * step - shape[axis];
    const TensorIndex whole = ops.pad(x, padding, ops.number(ops.type(x), 1, 0), "whole_steps");
    const TensorIndex steps = ops.reshape(
        whole, {extent(shape, 0, axis) * count, step, extent(shape, axis + 1, shape.size())},
        "steps");
    return ops.reshape(part(ops, steps, 1, 0, 1), with_dimension(shape, axis, count), "stepped");
}

/// Returns the flat positions of a slice at a run-time start, [1, count], in rows of `width`.
TensorIndex slice_positions(OperatorBuilder& ops, const Shape& shape, const Shape& size,
                            TensorIndex start, std::size_t rows_rank) {
    const auto rank = static_cast<std::int64_t>(shape.size());
    std::vector<std::int64_t> most;
    for (std::size_t i = 0; i < shape.size(); ++i) most.push_back(shape[i] - size[i]);
    const TensorIndex zero = ops.number(DType::kI32, 1, 0);
    TensorIndex at =
        ops.binary(OpCode::kMaximum, ops.reshape(start, {rank}, "start"), zero, "least");
    at = ops.binary(OpCode::kMinimum, at, index_values(ops, {rank}, most, "most_start"), "clamped");
    const Shape rows(shape.begin(), shape.begin() + static_cast<std::ptrdiff_t>(rows_rank));
    const Shape part_rows(size.begin(), size.begin() + static_cast<std::ptrdiff_t>(rows_rank));
    Shape steps = row_steps(rows);
    std::vector<std::int64_t> offsets;
    Shape index(rows_rank, 0);
    do {
        std::int64_t offset = 0;
        for (std::size_t i = 0; i < rows_rank; ++i) offset += index[i] * steps[i];
        offsets.push_back(offset);
    } while (next_position(index, part_rows));
    steps.resize(shape.size(), 0);
    const TensorIndex moved = ops.product(at, index_values(ops, {rank}, steps, "steps"), "moved");
    const TensorIndex base = ops.reshape(ops.reduce_sum(moved, 0, "base"), {1, 1}, "base_row");
    const auto count = static_cast<std::int64_t>(offsets.size());
    return ops.binary(OpCode::kAdd, base, index_values(ops, {1, count}, offsets, "offsets"),
                      "positions");
}

/// Returns the number of leading dimensions; the others are complete in the slice.
std::size_t partial_rank(const Shape& shape, const Shape& size) {
    std::size_t rank = shape.size();
    while (rank > 1 && shape[rank - 1] == size[rank - 1]) --rank;
    return rank;
}

}  // namespace

SliceElements slice_elements(const SliceRange& range, std::int64_t size) {
    const bool is_forward = range.step > 0;
    const std::int64_t low = is_forward ? 0 : -1, high = is_forward ? size : size - 1;
    SliceElements result;
    result.first = clamped_bound(range.start, size, low, high);
    const std::int64_t end = clamped_bound(range.end, size, low, high);
    const std::int64_t length = is_forward ? end - result.first : result.first - end;
    if (length <= 0) return result;
    // A step beyond the dimension selects one element.
    const std::int64_t step =
        is_forward ? std::min(range.step, size) : std::min(-std::max(range.step, -size), size);
    result.count = (length + step - 1) / step;
    return result;
}

TensorIndex strided_slice(OperatorBuilder& ops, TensorIndex x,
                          const std::vector<SliceRange>& ranges) {
    const Shape shape = ops.shape(x);
    Shape start(shape.size(), 0), size = shape;
    std::vector<std::int64_t> steps;
    for (std::size_t i = 0; i < shape.size(); ++i) {
        const SliceElements elements = slice_elements(ranges[i], shape[i]);
        const std::int64_t step = elements.count == 1 ? 1 : std::abs(ranges[i].step);
        const std::int64_t reach = (elements.count - 1) * step;
        start[i] = ranges[i].step < 0 ? elements.first - reach : elements.first;
        size[i] = reach + 1;
        steps.push_back(step);
    }
    x = ops.slice(x, start, size, "slice");
    for (std::size_t i = 0; i < shape.size(); ++i) {
        x = stepped(ops, x, i, steps[i]);
        if (ranges[i].step < 0) x = ops.reverse(x, i, "reversed");
    }
    return x;
}

TensorIndex dynamic_slice(OperatorBuilder& ops, TensorIndex x, TensorIndex start,
                          const Shape& size) {
    const Shape shape = ops.shape(x);
    if (shape == size) return x;
    const std::size_t rank = partial_rank(shape, size);
    const TensorIndex list = slice_positions(ops, shape, size, start, rank);
    const TensorIndex rows = ops.reshape(
        to_movable(ops, x), {1, extent(shape, 0, rank), extent(shape, rank, shape.size())}, "rows");
    return from_movable(ops, ops.reshape(ops.gather(rows, list, "taken"), size, "slice"),
                        ops.type(x));
}

TensorIndex dynamic_update_slice(OperatorBuilder& ops, TensorIndex x, TensorIndex update,
                                 TensorIndex start) {
    const Shape shape = ops.shape(x), size = ops.shape(update);
    if (shape == size) return update;
    const std::size_t rank = partial_rank(shape, size);
    const std::int64_t width = extent(shape, rank, shape.size());
    const Shape rows{1, extent(shape, 0, rank), width};
    const TensorIndex list = slice_positions(ops, shape, size, start, rank);
    const TensorIndex old = ops.reshape(to_movable(ops, x), rows, "rows");
    const TensorIndex added =
        ops.reshape(to_movable(ops, update), {1, extent(size, 0, rank), width}, "update_rows");
    const TensorIndex all = ops.block().add(OpCode::kScatter, NoAttributes{}, {old, list, added},
                                            ops.type(old), rows, "updated");
    return from_movable(ops, ops.reshape(all, shape, "result"), ops.type(x));
}

}  // namespace okksim::sim::graph::compose
