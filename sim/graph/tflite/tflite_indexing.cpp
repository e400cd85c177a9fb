// SPDX-License-Identifier: Apache-2.0
// Operators that choose elements by positions, and operators that make values.
#include <algorithm>

#include "sim/graph/compose/moves.h"
#include "sim/graph/tflite/tflite_lowering.h"
#include "sim/graph/tflite/tflite_numbers.h"
#include "sim/graph/tflite/tflite_slices.h"

namespace okksim::sim::graph::tflite {

void Lowering::slice(const Call& call) {
    Value& x = call.input(0);
    Shape size = call.known_sizes(2, "a size");
    if (size.size() != x.rank()) {
        call.illegal("size", shape_text(size),
                     "there is a number per dimension of " + shape_text(x.shape));
    }
    const Value& begin = call.input(1);
    if (!begin.is_known) {
        for (std::size_t i = 0; i < size.size(); ++i) {
            if (size[i] < 0) throw UnsupportedPart("a size that depends on data");
            if (size[i] > x.shape[i] || size[i] == 0) {
                call.illegal("size", shape_text(size),
                             "the slice is inside " + shape_text(x.shape));
            }
        }
        return give_moved(call, compose::dynamic_slice(ops_, t_.of(x), t_.of(call.input(1)), size),
                          x);
    }
    const Shape start = call.known_sizes(1, "a begin");
    if (start.size() != x.rank()) {
        call.illegal("begin", shape_text(start),
                     "there is a number per dimension of " + shape_text(x.shape));
    }
    for (std::size_t i = 0; i < size.size(); ++i) {
        if (size[i] == -1) size[i] = x.shape[i] - start[i];
        if (start[i] < 0 || size[i] < 0 || start[i] > x.shape[i] ||
            size[i] > x.shape[i] - start[i]) {
            call.illegal(
                "size", shape_text(size),
                "the slice from " + shape_text(start) + " is inside " + shape_text(x.shape));
        }
        if (size[i] == 0) throw UnsupportedPart("an empty result");
    }
    give_moved(call, ops_.slice(t_.of(x), start, size, "slice"), x);
}

void Lowering::strided_slice(const Call& call) {
    Value& x = call.input(0);
    const SlicePlan plan = plan_slice(call, x.shape);
    const auto is_empty = [](std::int64_t size) { return size == 0; };
    if (std::any_of(plan.shape.begin(), plan.shape.end(), is_empty)) {
        throw UnsupportedPart("an empty result");
    }
    TensorIndex part = movable(t_.of(x));
    if (x.rank() > 0) part = compose::strided_slice(ops_, part, plan.ranges);
    give_moved(call, ops_.reshape(moved_back(part, x.device()), plan.shape, "slice"), x);
}

void Lowering::reverse(const Call& call) {
    Value& x = call.input(0);
    TensorIndex result = t_.of(x);
    for (const std::size_t axis : call.axes(call.known(1, "an axis"), x.rank())) {
        result = ops_.reverse(result, axis, "reversed");
    }
    give_moved(call, result, x);
}

void Lowering::reverse_sequence(const Call& call) {
    const auto& options = call.needed_options<wire::ReverseSequenceOptions>();
    Value& x = call.input(0);
    Value& lengths = call.input(1);
    const std::size_t time = call.axis(options.seq_dim(), x.rank());
    const std::size_t batch = call.axis(options.batch_dim(), x.rank());
    if (time == batch || lengths.shape != Shape{x.shape[batch]}) {
        call.illegal("lengths", shape_text(lengths.shape),
                     "there is a length per element of the batch, and batch_dim is not seq_dim");
    }
    const TensorIndex operand = movable(t_.of(x));
    const TensorIndex result =
        lengths.is_known
            ? compose::reverse_sequence(ops_, operand, known_integers(lengths), batch, time)
            : compose::reverse_sequence(ops_, operand, t_.of(lengths), batch, time);
    give_moved(call, moved_back(result, x.device()), x);
}

namespace {

void check_positions(const Call& call, const compose::KnownIndices& indices, std::int64_t size) {
    for (const std::int64_t index : indices.values) {
        if (index < 0 || index >= size) {
            call.illegal("index", std::to_string(index),
                         "indices are from 0 to " + std::to_string(size - 1));
        }
    }
}

}  // namespace

void Lowering::gather(const Call& call) {
    const auto& options = call.options<wire::GatherOptions>();
    Value& x = call.input(0);
    Value& indices = call.input(1);
    const std::size_t axis = call.axis(options.axis(), x.rank());
    const auto batch = static_cast<std::size_t>(
        options.batch_dims() < 0 ? options.batch_dims() + static_cast<std::int64_t>(indices.rank())
                                 : options.batch_dims());
    bool fits = batch <= axis && batch <= indices.rank();
    for (std::size_t i = 0; fits && i < batch; ++i) fits = x.shape[i] == indices.shape[i];
    if (!fits) {
        call.illegal("batch_dims", std::to_string(options.batch_dims()),
                     "operand and indices share these dimensions, which precede the axis");
    }
    if (element_count(indices.shape) == std::uint64_t{0}) throw UnsupportedPart("an empty result");
    const TensorIndex values = movable(t_.of(x));
    const auto known = batch == 0 ? known_indices(indices) : std::nullopt;
    if (known) check_positions(call, *known, x.shape[axis]);
    const TensorIndex result =
        known        ? compose::gather(ops_, values, *known, axis)
        : batch == 0 ? compose::gather(ops_, values, t_.of(indices), axis, false)
                     : compose::gather_batched(ops_, values, t_.of(indices), axis, batch, false);
    give_moved(call, moved_back(result, x.device()), x);
}

void Lowering::gather_nd(const Call& call) {
    Value& x = call.input(0);
    Value& indices = call.input(1);
    const std::int64_t depth = indices.rank() == 0 ? 0 : indices.shape.back();
    if (depth < 1 || depth > static_cast<std::int64_t>(x.rank())) {
        call.illegal("indices", shape_text(indices.shape),
                     "the last dimension holds positions in " + shape_text(x.shape));
    }
    const TensorIndex values = movable(t_.of(x));
    const auto known = known_indices(indices);
    const TensorIndex result = known ? compose::gather_nd(ops_, values, *known)
                                     : compose::gather_nd(ops_, values, t_.of(indices));
    give_moved(call, moved_back(result, x.device()), x);
}

void Lowering::embedding_lookup(const Call& call) {
    Value& ids = call.input(0);
    Value& table = call.input(1);
    if (ids.rank() != 1 || table.rank() < 1) {
        call.illegal("ids", shape_text(ids.shape), "the ids have one dimension");
    }
    const bool is_converted = call.output().is_real() && !table.is_real();
    const TensorIndex rows = is_converted ? t_.real(table) : t_.of(table);
    const TensorIndex result = compose::embedding(ops_, rows, t_.of(ids));
    is_converted ? give(call, result) : give_moved(call, result, table);
}

void Lowering::scatter_nd(const Call& call) {
    Value& indices = call.input(0);
    Value& updates = call.input(1);
    const Shape shape = call.known_sizes(2, "a shape");
    const std::int64_t depth = indices.rank() == 0 ? 0 : indices.shape.back();
    const auto count = element_count(shape);
    if (depth < 1 || depth > static_cast<std::int64_t>(shape.size()) || !count || *count == 0) {
        call.illegal("indices", shape_text(indices.shape),
                     "the last dimension holds positions in " + shape_text(shape));
    }
    Shape expected(indices.shape.begin(), indices.shape.end() - 1);
    expected.insert(expected.end(), shape.begin() + depth, shape.end());
    if (updates.shape != expected) {
        call.illegal("updates", shape_text(updates.shape),
                     "the updates have " + shape_text(expected));
    }
    // UINT8 is stored with an offset, and sums need the numbers themselves.
    const bool is_unsigned = updates.type == TensorType::UINT8;
    const TensorIndex values = is_unsigned
                                   ? t_.rescaled(t_.of(updates), 1.0, DType::kI32, {-128, 0})
                                   : movable(t_.of(updates));
    const TensorIndex zeros =
        compose::expand(ops_, ops_.number(ops_.type(values), shape.size(), 0), shape);
    const auto known = known_indices(indices);
    constexpr auto kAdd = compose::ScatterReduction::kAdd;
    const TensorIndex result = known
                                   ? compose::scatter_nd(ops_, zeros, *known, values, kAdd)
                                   : compose::scatter_nd(ops_, zeros, t_.of(indices), values, kAdd);
    give_moved(call,
               is_unsigned ? t_.rescaled(result, 1.0, DType::kI8, {0, -128})
                           : moved_back(result, updates.device()),
               updates);
}

void Lowering::dynamic_update_slice(const Call& call) {
    Value& x = call.input(0);
    Value& update = call.input(1);
    Value& start = call.input(2);
    bool fits =
        update.rank() == x.rank() && start.shape == Shape{static_cast<std::int64_t>(x.rank())};
    for (std::size_t i = 0; fits && i < x.rank(); ++i) fits = update.shape[i] <= x.shape[i];
    if (!fits) {
        call.illegal("update", shape_text(update.shape),
                     "the update fits into " + shape_text(x.shape));
    }
    const TensorIndex result = compose::dynamic_update_slice(ops_, movable(t_.of(x)),
                                                             movable(t_.of(update)), t_.of(start));
    give_moved(call, moved_back(result, x.device()), x);
}

void Lowering::one_hot(const Call& call) {
    Value& indices = call.input(0);
    constexpr std::int64_t kMostDepth = 1 << 24;
    const std::vector<std::int64_t> depth = call.known(1, "a depth");
    if (depth.size() == 1 && depth[0] > kMostDepth) throw UnsupportedPart("a depth above 2^24");
    if (depth.size() != 1 || depth[0] < 1) {
        call.illegal("depth", shape_text(depth), "the depth is one number of at least 1");
    }
    const std::size_t axis =
        call.axis(call.options<wire::OneHotOptions>().axis(), indices.rank() + 1);
    give(call, compose::one_hot(ops_, t_.of(indices), depth[0], t_.of(call.input(2)),
                                t_.of(call.input(3)), axis, false));
}

void Lowering::fill(const Call& call) {
    const Shape shape = call.known_sizes(0, "a shape");
    Value& value = call.input(1);
    const auto count = element_count(shape);
    if (!count || *count == 0 || element_count(value.shape) != std::uint64_t{1}) {
        call.illegal("shape", shape_text(shape), "one value fills a shape of sizes from 1");
    }
    const TensorIndex one = t_.shaped(value, Shape(shape.size(), 1), "value");
    give_moved(call, shape.empty() ? one : compose::expand(ops_, one, shape), value);
}

void Lowering::zeros_like(const Call& call) {
    const Shape shape = call.input(0).shape;
    const Value& output = call.output();
    const std::int64_t zero = output.type == TensorType::UINT8 ? -128 : 0;
    const TensorIndex one = ops_.number(output.device(), shape.size(), static_cast<double>(zero));
    give(call, shape.empty() ? one : compose::expand(ops_, one, shape));
}

void Lowering::top_k(const Call& call) {
    Value& x = call.input(0);
    const std::vector<std::int64_t> k = call.known(1, "a number of elements");
    if (x.rank() == 0 || k.size() != 1 || k[0] < 1 || k[0] > x.shape.back()) {
        call.illegal("k", shape_text(k), "k is 1 to the last size of " + shape_text(x.shape));
    }
    const compose::TopElements top = compose::top_k(ops_, t_.of(x), k[0], x.rank() - 1);
    give_moved(call, top.values, x, 0);
    if (call.outputs.size() > 1) give(call, top.indices, 1);
}

void Lowering::densify(const Call& call) {
    Value& x = call.input(0);
    if (!x.is_known) throw UnsupportedPart("sparse values that are not constant");
    give_shaped(call, x, x.shape);
}

}  // namespace okksim::sim::graph::tflite
