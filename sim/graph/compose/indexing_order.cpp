// SPDX-License-Identifier: Apache-2.0
// Greatest elements, one-hot vectors, triangles and reversed sequences.
#include "sim/graph/compose/host_values.h"
#include "sim/graph/compose/index_lists.h"
#include "sim/graph/compose/indexing.h"
#include "sim/graph/compose/moves.h"

namespace okksim::sim::graph::compose {

namespace {

/// Elements [lines, size] in a type that GREATER and ARGMAX accept.
struct Candidates {
    TensorIndex values;
    std::int64_t lines = 0;
    std::int64_t size = 0;
};

// Compares all pairs: the rank of an element is the number of elements before it in the order.
// Ranks are unique, so SCATTER moves each index to its rank.
TensorIndex order_by_ranks(OperatorBuilder& ops, const Candidates& c) {
    const TensorIndex own = ops.reshape(c.values, {c.lines, c.size, 1}, "own");
    const TensorIndex other = ops.reshape(c.values, {c.lines, 1, c.size}, "other");
    std::vector<std::int64_t> lower;
    for (std::int64_t i = 0; i < c.size; ++i) {
        for (std::int64_t j = 0; j < c.size; ++j) lower.push_back(j < i ? 1 : 0);
    }
    const TensorIndex is_lower =
        ops.block().constant(DType::kBool, {1, c.size, c.size}, lower, "is_lower_index");
    const TensorIndex greater = ops.test(OpCode::kGreater, other, own, "greater");
    const TensorIndex equal = ops.test(OpCode::kEqual, other, own, "equal");
    const TensorIndex before =
        ops.binary(OpCode::kLogicalOr, greater,
                   ops.binary(OpCode::kLogicalAnd, equal, is_lower, "equal_before"), "before");
    const TensorIndex rank =
        ops.reshape(ops.reduce_sum(ops.cast(before, DType::kI32, "count"), 2, "ranks"),
                    {c.lines, c.size}, "rank");
    const TensorIndex indices =
        ops.tile(index_values(ops, {1, c.size, 1}, counting(c.size), "all_indices"),
                 {c.lines, 1, 1}, "all_lines");
    return ops.block().add(OpCode::kScatter, NoAttributes{}, {indices, rank, indices}, DType::kI32,
                           {c.lines, c.size, 1}, "order");
}

// Takes the greatest element k times, and replaces it by the least value.
TensorIndex order_by_rounds(OperatorBuilder& ops, const Candidates& c, std::int64_t k) {
    const DType type = ops.type(c.values);
    const TensorIndex positions = index_values(ops, {1, c.size}, counting(c.size), "positions");
    TensorIndex left = c.values;
    std::vector<TensorIndex> found;
    for (std::int64_t i = 0; i < k; ++i) {
        const TensorIndex best =
            ops.block().add(OpCode::kArgmax, ArgmaxAttributes{1, NanPropagationMode::kPropagate},
                            {left}, DType::kI32, {c.lines}, "best");
        const TensorIndex column = ops.reshape(best, {c.lines, 1}, "best_column");
        found.push_back(column);
        if (i + 1 == k) break;
        const TensorIndex is_best = ops.test(OpCode::kEqual, positions, column, "is_best");
        left = ops.select(is_best, ops.number(type, 2, lowest_value(type)), left, "left");
    }
    return ops.reshape(concat(ops, found, 1), {c.lines, k, 1}, "order");
}

TensorIndex sequence_list(OperatorBuilder& ops, TensorIndex lengths, std::int64_t batch,
                          std::int64_t time) {
    // Index t < length reads length - 1 - t, another one itself.
    const TensorIndex rows = ops.reshape(lengths, {batch, 1}, "lengths");
    const TensorIndex t = index_values(ops, {1, time}, counting(time), "times");
    const TensorIndex last = ops.binary(OpCode::kSub, rows, ops.number(DType::kI32, 2, 1), "last");
    const TensorIndex reversed = ops.binary(OpCode::kSub, last, t, "reversed_times");
    return ops.select(ops.test(OpCode::kGreater, rows, t, "in_sequence"), reversed, t, "sources");
}

TensorIndex reversed_sequence(OperatorBuilder& ops, TensorIndex x, TensorIndex list,
                              std::size_t batch_axis, std::size_t time_axis) {
    const Shape shape = ops.shape(x);
    const std::int64_t batch = shape[batch_axis], time = shape[time_axis];
    TensorIndex moved = moved_axis(ops, x, batch_axis, 0);
    const std::size_t time_now = time_axis < batch_axis ? time_axis + 1 : time_axis;
    moved = moved_axis(ops, moved, time_now, 1);
    const Shape moved_shape = ops.shape(moved);
    const TensorIndex rows =
        ops.reshape(to_movable(ops, moved), {batch, time, extent(shape) / (batch * time)}, "rows");
    TensorIndex result = ops.reshape(ops.gather(rows, list, "reversed"), moved_shape, "moved");
    result = from_movable(ops, result, ops.type(x));
    result = moved_axis(ops, result, 1, time_now);
    return moved_axis(ops, result, 0, batch_axis);
}

}  // namespace

TensorIndex one_hot(OperatorBuilder& ops, TensorIndex indices, std::int64_t depth, TensorIndex on,
                    TensorIndex off, std::size_t axis, bool may_be_negative) {
    Shape shape = ops.shape(indices);
    if (may_be_negative) indices = wrapped_indices(ops, indices, depth);
    shape.insert(shape.begin() + static_cast<std::ptrdiff_t>(axis), 1);
    const TensorIndex wide = ops.reshape(indices, shape, "index_column");
    const TensorIndex places = index_values(
        ops, with_dimension(Shape(shape.size(), 1), axis, depth), counting(depth), "places");
    const TensorIndex hit = ops.test(OpCode::kEqual, wide, places, "hit");
    const Shape ones(shape.size(), 1);
    return ops.select(hit, ops.reshape(on, ones, "on"), ops.reshape(off, ones, "off"), "one_hot");
}

TopElements top_k(OperatorBuilder& ops, TensorIndex x, std::int64_t k, std::size_t axis,
                  bool largest) {
    constexpr std::int64_t kMostPairs = std::int64_t{1} << 22;
    constexpr std::int64_t kFewRounds = 4;  // fewer operators than a comparison of all pairs
    const DType type = ops.type(x);
    const Shape shape = ops.shape(x);
    const std::size_t last = shape.size() - 1;
    const TensorIndex moved = moved_axis(ops, x, axis, last);
    const Shape moved_shape = with_dimension(ops.shape(moved), last, k);
    Candidates c{0, extent(shape) / shape[axis], shape[axis]};
    const TensorIndex lines = ops.reshape(moved, {c.lines, c.size, 1}, "lines");
    c.values = ops.reshape(moved, {c.lines, c.size}, "candidates");
    if (type == DType::kI8 || type == DType::kI16) {
        c.values = ops.cast(c.values, DType::kI32, "wide");
    }
    if (!largest && ops.type(c.values) == DType::kI32) {
        // The complement reverses the order of integers, without overflow.
        c.values = ops.unary(OpCode::kBitwiseNot, c.values, "reversed_order");
    } else if (!largest) {
        c.values = ops.product(c.values, ops.number(type, 2, -1), "reversed_order");
    }
    const bool has_argmax = is_floating_point(type);
    const bool is_wide = c.lines * c.size > kMostPairs / c.size;
    const TensorIndex order = has_argmax && (k <= kFewRounds || is_wide)
                                  ? order_by_rounds(ops, c, k)
                                  : order_by_ranks(ops, c);
    const TensorIndex first = ops.reshape(part(ops, order, 1, 0, k), {c.lines, k}, "first");
    const TensorIndex values = ops.gather(lines, first, "values");
    const auto placed = [&](TensorIndex tensor) {
        return moved_axis(ops, ops.reshape(tensor, moved_shape, "top"), last, axis);
    };
    return {placed(values), placed(first)};
}

TensorIndex trilu(OperatorBuilder& ops, TensorIndex x, bool upper, std::int64_t k) {
    const Shape shape = ops.shape(x);
    const std::size_t rank = shape.size();
    const std::int64_t rows = shape[rank - 2], columns = shape[rank - 1];
    std::vector<std::int64_t> kept;
    for (std::int64_t i = 0; i < rows; ++i) {
        for (std::int64_t j = 0; j < columns; ++j) {
            kept.push_back((upper ? j - i >= k : j - i <= k) ? 1 : 0);
        }
    }
    Shape mask(rank, 1);
    mask[rank - 2] = rows;
    mask[rank - 1] = columns;
    return ops.select(ops.block().constant(DType::kBool, mask, kept, "triangle"), x,
                      ops.number(ops.type(x), rank, 0), "triangle_of");
}

TensorIndex reverse_sequence(OperatorBuilder& ops, TensorIndex x,
                             const std::vector<std::int64_t>& lengths, std::size_t batch_axis,
                             std::size_t time_axis) {
    const Shape shape = ops.shape(x);
    const std::int64_t batch = shape[batch_axis], time = shape[time_axis];
    std::vector<std::int64_t> sources;
    for (const std::int64_t length : lengths) {
        for (std::int64_t t = 0; t < time; ++t) sources.push_back(t < length ? length - 1 - t : t);
    }
    const TensorIndex list = index_values(ops, {batch, time}, sources, "sources");
    return reversed_sequence(ops, x, list, batch_axis, time_axis);
}

TensorIndex reverse_sequence(OperatorBuilder& ops, TensorIndex x, TensorIndex lengths,
                             std::size_t batch_axis, std::size_t time_axis) {
    const Shape shape = ops.shape(x);
    const TensorIndex list = sequence_list(ops, lengths, shape[batch_axis], shape[time_axis]);
    return reversed_sequence(ops, x, list, batch_axis, time_axis);
}

}  // namespace okksim::sim::graph::compose
