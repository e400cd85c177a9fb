// SPDX-License-Identifier: Apache-2.0
// Scatters. SCATTER writes each row at most once, so the host sorts known indices into rounds.
#include <algorithm>
#include <map>

#include "sim/graph/compose/host_values.h"
#include "sim/graph/compose/index_lists.h"
#include "sim/graph/compose/indexing.h"

namespace okksim::sim::graph::compose {

namespace {

/// ScatterRows [1, count, width] and their positions.
struct ScatterRows {
    TensorIndex values;
    std::int64_t count = 0;
    std::int64_t width = 1;
};

TensorIndex written_rows(OperatorBuilder& ops, const ScatterRows& data, TensorIndex list,
                         TensorIndex updates) {
    return ops.block().add(OpCode::kScatter, NoAttributes{}, {data.values, list, updates},
                           ops.type(data.values), {1, data.count, data.width}, "scattered");
}

TensorIndex combined(OperatorBuilder& ops, TensorIndex old, TensorIndex update,
                     ScatterReduction reduction) {
    const DType type = ops.type(old);
    const bool is_narrow = type == DType::kI8 || type == DType::kI16;
    const auto wide = [&](TensorIndex x) {
        return is_narrow ? ops.cast(x, DType::kI32, "wide") : x;
    };
    const auto apply = [&](OpCode op) {
        return ops.cast(ops.binary(op, wide(old), wide(update), "combined"), type, "narrow");
    };
    switch (reduction) {
        case ScatterReduction::kNone: return update;
        case ScatterReduction::kAdd: return apply(OpCode::kAdd);
        case ScatterReduction::kMultiply:
            return ops.cast(ops.product(wide(old), wide(update), "combined"), type, "narrow");
        case ScatterReduction::kMaximum: return apply(OpCode::kMaximum);
        case ScatterReduction::kMinimum: return apply(OpCode::kMinimum);
    }
    return update;
}

/// Returns the updates of each round. Positions are unique within a round.
std::vector<std::vector<std::int64_t>> rounds_of(const std::vector<std::int64_t>& positions,
                                                 ScatterReduction reduction) {
    std::vector<std::vector<std::int64_t>> rounds;
    if (reduction == ScatterReduction::kNone) {
        std::map<std::int64_t, std::int64_t> last;
        for (std::size_t i = 0; i < positions.size(); ++i) {
            last[positions[i]] = static_cast<std::int64_t>(i);
        }
        rounds.emplace_back();
        for (const auto& [position, update] : last) rounds[0].push_back(update);
        return rounds;
    }
    std::map<std::int64_t, std::size_t> times;
    for (std::size_t i = 0; i < positions.size(); ++i) {
        const std::size_t round = times[positions[i]]++;
        if (round == rounds.size()) rounds.emplace_back();
        rounds[round].push_back(static_cast<std::int64_t>(i));
    }
    return rounds;
}

TensorIndex scatter_known(OperatorBuilder& ops, ScatterRows data,
                          const std::vector<std::int64_t>& positions, TensorIndex updates,
                          ScatterReduction reduction) {
    for (const auto& round : rounds_of(positions, reduction)) {
        std::vector<std::int64_t> list;
        for (const std::int64_t update : round) {
            list.push_back(positions[static_cast<std::size_t>(update)]);
        }
        const auto count = static_cast<std::int64_t>(round.size());
        TensorIndex rows = gather(ops, updates, {{count}, round}, 1);
        if (reduction != ScatterReduction::kNone) {
            rows = combined(ops, gather(ops, data.values, {{count}, list}, 1), rows, reduction);
        }
        data.values =
            written_rows(ops, data, index_values(ops, {1, count}, list, "positions"), rows);
    }
    return data.values;
}

/// Returns [lines, updates, rows]: true where an update has that row as its position.
TensorIndex hits_of(OperatorBuilder& ops, TensorIndex list, std::int64_t rows) {
    const Shape shape = ops.shape(list);
    const TensorIndex positions = ops.reshape(list, {shape[0], shape[1], 1}, "positions");
    return ops.test(OpCode::kEqual, positions,
                    index_values(ops, {1, 1, rows}, counting(rows), "rows"), "hits");
}

/// Sums updates [lines, count, width] at run-time positions [lines, count] by MATMUL.
TensorIndex summed_updates(OperatorBuilder& ops, TensorIndex hits, TensorIndex updates) {
    const DType type = ops.type(updates);
    const Shape shape = ops.shape(hits);
    const TensorIndex ones =
        ops.select(hits, ops.number(type, 3, 1), ops.number(type, 3, 0), "ones");
    const TensorIndex matrix = ops.transpose(ones, {0, 2, 1}, "rows_of_hits");
    const TensorIndex zero = ops.number(type, 1, 0);
    const TensorIndex sums =
        ops.block().add(OpCode::kMatmul, NoAttributes{}, {matrix, updates, zero, zero},
                        DType::kFp32, {shape[0], shape[2], ops.shape(updates)[2]}, "sums");
    return ops.cast(sums, type, "sums_rounded");
}

/// Reduces updates at run-time positions by comparison of each update with each row.
TensorIndex reduced_updates(OperatorBuilder& ops, TensorIndex hits, TensorIndex updates,
                            ScatterReduction reduction) {
    const DType type = ops.type(updates);
    const Shape shape = ops.shape(hits);
    const std::int64_t width = ops.shape(updates)[2];
    double neutral = 0;
    OpCode op = OpCode::kReduceSum;
    Attributes attributes = ReduceSumAttributes{1};
    if (reduction == ScatterReduction::kMultiply) {
        neutral = 1;
        op = OpCode::kReduceProduct;
        attributes = ReduceProductAttributes{1};
    } else if (reduction == ScatterReduction::kMaximum) {
        neutral = lowest_value(type);
        op = OpCode::kReduceMax;
        attributes = ReduceMaxAttributes{1, NanPropagationMode::kPropagate};
    } else if (reduction == ScatterReduction::kMinimum) {
        neutral = highest_value(type);
        op = OpCode::kReduceMin;
        attributes = ReduceMinAttributes{1, NanPropagationMode::kPropagate};
    }
    const TensorIndex where = ops.reshape(hits, {shape[0], shape[1], shape[2], 1}, "hit_rows");
    const TensorIndex values = ops.reshape(updates, {shape[0], shape[1], 1, width}, "update_rows");
    const TensorIndex all = ops.select(where, values, ops.number(type, 4, neutral), "candidates");
    const TensorIndex reduced =
        ops.block().add(op, attributes, {all}, type, {shape[0], 1, shape[2], width}, "reduced");
    return ops.reshape(reduced, {shape[0], shape[2], width}, "reduced_rows");
}

/// Combines updates [lines, count, width] at run-time positions [lines, count] with data
/// [lines, rows, width].
TensorIndex scatter_reduced(OperatorBuilder& ops, TensorIndex data, TensorIndex list,
                            TensorIndex updates, ScatterReduction reduction) {
    const DType type = ops.type(data);
    const bool is_narrow = type == DType::kI8 || type == DType::kI16;
    if (is_narrow && reduction == ScatterReduction::kAdd) {
        updates = ops.cast(updates, DType::kI32, "wide_updates");
        data = ops.cast(data, DType::kI32, "wide_data");
    }
    const TensorIndex hits = hits_of(ops, list, ops.shape(data)[1]);
    const bool is_sum = reduction == ScatterReduction::kAdd && is_floating_point(type);
    const TensorIndex reduced = is_sum ? summed_updates(ops, hits, updates)
                                       : reduced_updates(ops, hits, updates, reduction);
    return ops.cast(combined(ops, data, reduced, reduction), type, "combined");
}

ScatterRows rows_of(OperatorBuilder& ops, TensorIndex x, std::int64_t width) {
    const std::int64_t count = extent(ops.shape(x)) / width;
    return {ops.reshape(to_movable(ops, x), {1, count, width}, "rows"), count, width};
}

/// Returns the sizes of the first dimensions that indices of this depth address.
Shape leading(const Shape& shape, std::int64_t depth) {
    return {shape.begin(), shape.begin() + static_cast<std::ptrdiff_t>(depth)};
}

TensorIndex result_of(OperatorBuilder& ops, TensorIndex rows, TensorIndex x) {
    return from_movable(ops, ops.reshape(rows, ops.shape(x), "result"), ops.type(x));
}

}  // namespace

TensorIndex scatter_nd(OperatorBuilder& ops, TensorIndex x, const KnownIndices& indices,
                       TensorIndex updates, ScatterReduction reduction) {
    const Shape shape = ops.shape(x);
    const Shape dims = leading(shape, indices.shape.back());
    const std::int64_t width = extent(shape, dims.size(), shape.size());
    return result_of(ops,
                     scatter_known(ops, rows_of(ops, x, width), row_positions(indices.values, dims),
                                   rows_of(ops, updates, width).values, reduction),
                     x);
}

TensorIndex scatter_nd(OperatorBuilder& ops, TensorIndex x, TensorIndex indices,
                       TensorIndex updates, ScatterReduction reduction) {
    const Shape shape = ops.shape(x);
    const Shape dims = leading(shape, ops.shape(indices).back());
    const std::int64_t width = extent(shape, dims.size(), shape.size());
    const TensorIndex positions = row_list(ops, indices, dims);
    const TensorIndex list =
        ops.reshape(positions, {1, extent(ops.shape(positions))}, "position_list");
    const ScatterRows data = rows_of(ops, x, width), added = rows_of(ops, updates, width);
    const TensorIndex rows = reduction == ScatterReduction::kNone
                                 ? written_rows(ops, data, list, added.values)
                                 : scatter_reduced(ops, data.values, list, added.values, reduction);
    return result_of(ops, rows, x);
}

TensorIndex scatter_elements(OperatorBuilder& ops, TensorIndex x, const KnownIndices& indices,
                             TensorIndex updates, std::size_t axis, ScatterReduction reduction) {
    const Shape shape = ops.shape(x), steps = row_steps(shape);
    std::vector<std::int64_t> positions;
    Shape at(shape.size(), 0);
    for (const std::int64_t index : indices.values) {
        std::int64_t position = 0;
        for (std::size_t i = 0; i < at.size(); ++i) {
            const std::int64_t along = index < 0 ? index + shape[axis] : index;
            position += (i == axis ? along : at[i]) * steps[i];
        }
        positions.push_back(position);
        next_position(at, indices.shape);
    }
    return result_of(ops,
                     scatter_known(ops, rows_of(ops, x, 1), positions,
                                   rows_of(ops, updates, 1).values, reduction),
                     x);
}

TensorIndex scatter_elements(OperatorBuilder& ops, TensorIndex x, TensorIndex indices,
                             TensorIndex updates, std::size_t axis, ScatterReduction reduction) {
    const Shape shape = ops.shape(x), list_shape = ops.shape(indices);
    const TensorIndex wrapped = wrapped_indices(ops, indices, shape[axis]);
    if (reduction == ScatterReduction::kNone) {
        const TensorIndex positions = element_list(ops, wrapped, shape, axis);
        const TensorIndex list = ops.reshape(positions, {1, extent(list_shape)}, "position_list");
        const ScatterRows data = rows_of(ops, x, 1);
        return result_of(ops, written_rows(ops, data, list, rows_of(ops, updates, 1).values), x);
    }
    // Each line along the axis is independent. Lines without updates keep their elements.
    Shape touched = list_shape, rest(2 * shape.size(), 0);
    touched[axis] = shape[axis];
    TensorIndex data = x;
    for (std::size_t i = 0; i < shape.size(); ++i) {
        data = part(ops, data, i, 0, touched[i]);
        rest[2 * i + 1] = shape[i] - touched[i];
    }
    const std::size_t last = shape.size() - 1;
    const auto lines = [&](TensorIndex tensor) {
        const TensorIndex moved = moved_axis(ops, tensor, axis, last);
        const std::int64_t size = ops.shape(tensor)[axis];
        return ops.reshape(moved, {extent(ops.shape(tensor)) / size, size}, "lines");
    };
    const auto columns = [&](TensorIndex tensor) {
        const TensorIndex flat = lines(tensor);
        return ops.reshape(flat, {ops.shape(flat)[0], ops.shape(flat)[1], 1}, "columns");
    };
    const TensorIndex reduced =
        scatter_reduced(ops, columns(data), lines(wrapped), columns(updates), reduction);
    Shape moved_shape = touched;
    moved_shape.erase(moved_shape.begin() + static_cast<std::ptrdiff_t>(axis));
    moved_shape.push_back(touched[axis]);
    const TensorIndex result =
        moved_axis(ops, ops.reshape(reduced, moved_shape, "moved"), last, axis);
    if (touched == shape) return result;
    const TensorIndex all = ops.pad(result, rest, ops.number(ops.type(x), 1, 0), "spread");
    const TensorIndex mask = ops.pad(filled(ops, DType::kBool, touched, 1), rest,
                                     ops.number(DType::kBool, 1, 0), "touched");
    return ops.select(mask, all, x, "result");
}

}  // namespace okksim::sim::graph::compose
