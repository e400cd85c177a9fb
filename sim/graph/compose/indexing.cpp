// SPDX-License-Identifier: Apache-2.0
// GATHER of any rank. Known indices that are evenly spaced become slices.
#include "sim/graph/compose/indexing.h"

#include "sim/graph/compose/host_values.h"
#include "sim/graph/compose/index_lists.h"
#include "sim/graph/compose/moves.h"

namespace okksim::sim::graph::compose {

namespace {

/// Returns indices from 0 to size - 1.
std::vector<std::int64_t> from_start(std::vector<std::int64_t> indices, std::int64_t size) {
    for (std::int64_t& index : indices) {
        if (index < 0) index += size;
    }
    return indices;
}

/// True if the indices are consecutive.
bool is_run(const std::vector<std::int64_t>& indices) {
    for (std::size_t i = 1; i < indices.size(); ++i) {
        if (indices[i] != indices[0] + static_cast<std::int64_t>(i)) return false;
    }
    return !indices.empty();
}

/// Returns the shape of a gather: the indices' dimensions replace those of `x` from `first` on.
Shape gathered_shape(const Shape& x, std::size_t first, std::size_t limit, const Shape& indices) {
    Shape result(x.begin(), x.begin() + static_cast<std::ptrdiff_t>(first));
    result.insert(result.end(), indices.begin(), indices.end());
    result.insert(result.end(), x.begin() + static_cast<std::ptrdiff_t>(limit), x.end());
    return result;
}

/// Takes the elements of a list [1, count] along an axis: [outer, count, inner].
TensorIndex taken_along(OperatorBuilder& ops, TensorIndex x, std::size_t axis, TensorIndex list) {
    constexpr std::int64_t kShortRow = 16;  // rows of fewer elements make GATHER slow
    const TensorIndex lines = as_lines(ops, to_movable(ops, x), axis);
    const Shape shape = ops.shape(lines);
    const std::int64_t outer = shape[0], inner = shape[2], count = ops.shape(list)[1];
    if (outer == 1 || inner >= kShortRow) {
        return ops.gather(lines, ops.tile(list, {outer, 1}, "indices_all"), "taken");
    }
    const TensorIndex first = ops.transpose(lines, {1, 0, 2}, "axis_first");
    const TensorIndex rows = ops.reshape(first, {1, shape[1], outer * inner}, "rows");
    const TensorIndex taken = ops.gather(rows, list, "taken_rows");
    return ops.transpose(ops.reshape(taken, {count, outer, inner}, "taken_first"), {1, 0, 2},
                         "taken");
}

/// Returns flat positions for the elements of `indices` along an axis of `shape`.
std::vector<std::int64_t> element_positions(const KnownIndices& indices, const Shape& shape,
                                            std::size_t axis) {
    const Shape steps = row_steps(shape);
    std::vector<std::int64_t> result;
    Shape at(shape.size(), 0);
    for (const std::int64_t index : from_start(indices.values, shape[axis])) {
        std::int64_t position = 0;
        for (std::size_t i = 0; i < at.size(); ++i) {
            position += (i == axis ? index : at[i]) * steps[i];
        }
        result.push_back(position);
        next_position(at, indices.shape);
    }
    return result;
}

}  // namespace

TensorIndex gather(OperatorBuilder& ops, TensorIndex x, const KnownIndices& indices,
                   std::size_t axis) {
    const Shape shape = ops.shape(x);
    const auto list = from_start(indices.values, shape[axis]);
    const Shape result = gathered_shape(shape, axis, axis + 1, indices.shape);
    if (is_run(list)) {
        const TensorIndex run = part(ops, x, axis, list[0], static_cast<std::int64_t>(list.size()));
        return ops.reshape(run, result, "gathered");
    }
    const auto count = static_cast<std::int64_t>(list.size());
    const TensorIndex once = index_values(ops, {1, count}, list, "indices");
    const TensorIndex taken = taken_along(ops, x, axis, once);
    return from_movable(ops, ops.reshape(taken, result, "gathered"), ops.type(x));
}

TensorIndex gather(OperatorBuilder& ops, TensorIndex x, TensorIndex indices, std::size_t axis,
                   bool may_be_negative) {
    const Shape shape = ops.shape(x);
    const Shape result = gathered_shape(shape, axis, axis + 1, ops.shape(indices));
    TensorIndex list = ops.reshape(indices, {1, extent(ops.shape(indices))}, "index_list");
    if (may_be_negative) list = wrapped_indices(ops, list, shape[axis]);
    const TensorIndex taken = taken_along(ops, x, axis, list);
    return from_movable(ops, ops.reshape(taken, result, "gathered"), ops.type(x));
}

TensorIndex gather_batched(OperatorBuilder& ops, TensorIndex x, TensorIndex indices,
                           std::size_t axis, std::size_t batch_dims, bool may_be_negative) {
    if (batch_dims == 0) return gather(ops, x, indices, axis, may_be_negative);
    const Shape shape = ops.shape(x), list_shape = ops.shape(indices);
    const std::int64_t batch = extent(shape, 0, batch_dims);
    const std::int64_t between = extent(shape, batch_dims, axis);
    const std::int64_t inner = extent(shape, axis + 1, shape.size());
    const std::int64_t count = extent(list_shape, batch_dims, list_shape.size());
    TensorIndex list = ops.reshape(indices, {batch, 1, count}, "index_list");
    if (may_be_negative) list = wrapped_indices(ops, list, shape[axis]);
    list = ops.reshape(ops.tile(list, {1, between, 1}, "indices_all"), {batch * between, count},
                       "index_lines");
    const TensorIndex lines =
        ops.reshape(to_movable(ops, x), {batch * between, shape[axis], inner}, "lines");
    const Shape added(list_shape.begin() + static_cast<std::ptrdiff_t>(batch_dims),
                      list_shape.end());
    const TensorIndex taken = ops.reshape(ops.gather(lines, list, "taken"),
                                          gathered_shape(shape, axis, axis + 1, added), "gathered");
    return from_movable(ops, taken, ops.type(x));
}

TensorIndex embedding(OperatorBuilder& ops, TensorIndex table, TensorIndex ids) {
    return gather(ops, table, ids, 0, false);
}

TensorIndex gather_elements(OperatorBuilder& ops, TensorIndex x, const KnownIndices& indices,
                            std::size_t axis) {
    const Shape shape = ops.shape(x);
    const TensorIndex flat = ops.reshape(x, {extent(shape)}, "flat");
    return gather(ops, flat, {indices.shape, element_positions(indices, shape, axis)}, 0);
}

TensorIndex gather_elements(OperatorBuilder& ops, TensorIndex x, TensorIndex indices,
                            std::size_t axis) {
    const Shape shape = ops.shape(x);
    const TensorIndex positions =
        element_list(ops, wrapped_indices(ops, indices, shape[axis]), shape, axis);
    const TensorIndex flat = ops.reshape(x, {extent(shape)}, "flat");
    return ops.reshape(gather(ops, flat, positions, 0, false), ops.shape(indices), "elements");
}

TensorIndex gather_nd(OperatorBuilder& ops, TensorIndex x, const KnownIndices& indices,
                      std::size_t batch_dims) {
    const Shape shape = ops.shape(x);
    const auto depth = static_cast<std::size_t>(indices.shape.back());
    const std::int64_t batch = extent(shape, 0, batch_dims);
    const std::int64_t rows = extent(shape, batch_dims, batch_dims + depth);
    const Shape flat{batch * rows, extent(shape, batch_dims + depth, shape.size())};
    const Shape dims(shape.begin() + static_cast<std::ptrdiff_t>(batch_dims),
                     shape.begin() + static_cast<std::ptrdiff_t>(batch_dims + depth));
    KnownIndices list{{}, row_positions(indices.values, dims)};
    const auto count = static_cast<std::int64_t>(list.values.size());
    for (std::int64_t i = 0; i < count; ++i) {
        list.values[static_cast<std::size_t>(i)] += i / (count / batch) * rows;
    }
    list.shape = {count};
    const TensorIndex taken = gather(ops, ops.reshape(x, flat, "rows"), list, 0);
    Shape result(indices.shape.begin(), indices.shape.end() - 1);
    result.insert(result.end(), shape.begin() + static_cast<std::ptrdiff_t>(batch_dims + depth),
                  shape.end());
    return ops.reshape(taken, result, "gathered");
}

TensorIndex gather_nd(OperatorBuilder& ops, TensorIndex x, TensorIndex indices,
                      std::size_t batch_dims) {
    const Shape shape = ops.shape(x), list_shape = ops.shape(indices);
    const auto depth = static_cast<std::size_t>(list_shape.back());
    const std::int64_t batch = extent(shape, 0, batch_dims);
    const std::int64_t rows = extent(shape, batch_dims, batch_dims + depth);
    const std::int64_t width = extent(shape, batch_dims + depth, shape.size());
    const Shape dims(shape.begin() + static_cast<std::ptrdiff_t>(batch_dims),
                     shape.begin() + static_cast<std::ptrdiff_t>(batch_dims + depth));
    const TensorIndex positions = row_list(ops, indices, dims);
    const std::int64_t count = extent(ops.shape(positions));
    const TensorIndex list = ops.reshape(positions, {batch, count / batch}, "index_lines");
    const TensorIndex lines = ops.reshape(to_movable(ops, x), {batch, rows, width}, "rows");
    Shape result(list_shape.begin(), list_shape.end() - 1);
    result.insert(result.end(), shape.begin() + static_cast<std::ptrdiff_t>(batch_dims + depth),
                  shape.end());
    return from_movable(ops, ops.reshape(ops.gather(lines, list, "taken"), result, "gathered"),
                        ops.type(x));
}

}  // namespace okksim::sim::graph::compose
