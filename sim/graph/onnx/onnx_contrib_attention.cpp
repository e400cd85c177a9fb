// SPDX-License-Identifier: Apache-2.0
// Attention of com.microsoft.
#include <algorithm>

#include "sim/graph/compose/products.h"
#include "sim/graph/onnx/onnx_heads.h"
#include "sim/graph/onnx/onnx_operators.h"

namespace okksim::sim::graph::onnx::lower {

using compose::AttentionOptions;

namespace {

/// The masks of com.microsoft: lengths [B], or 1 and 0 as [B,T], [B,S,T] or [B,1,M,M].
void take_mask(const Call& call, const Heads& heads, std::size_t n, AttentionOptions& options,
               const Shape& q, std::int64_t total, DType type) {
    const Value* mask = call.optional_input(n);
    if (mask == nullptr) return;
    const double hidden = call.real("mask_filter_value", -10000);
    const std::int64_t batch = q[0];
    const Shape& shape = mask->shape;
    if (shape == Shape{batch}) {
        options.key_lengths = call.tensor(n);
    } else if (shape == Shape{batch, total}) {
        heads.add_mask(options, heads.added_numbers(n, {batch, 1, 1, total}, hidden, type));
    } else if (shape == Shape{batch, q[2], total}) {
        heads.add_mask(options, heads.added_numbers(n, {batch, 1, q[2], total}, hidden, type));
    } else {
        throw UnsupportedPart("a mask of the shape " + shape_text(shape));
    }
}

/// Returns columns start ... start + size - 1 of the last dimension.
TensorIndex columns(OperatorBuilder& ops, TensorIndex x, std::int64_t start, std::int64_t size) {
    Shape from(ops.rank(x), 0), extent = ops.shape(x);
    from.back() = start;
    extent.back() = size;
    return ops.slice(x, from, extent, "columns");
}

}  // namespace

void ms_attention(const Call& call) {
    const Heads heads(call);
    OperatorBuilder& ops = call.ops();
    const Value& x = call.input(0);
    const Value& weights = call.input(1);
    call.require(x.rank() == 3 && weights.rank() == 2 && weights.shape[0] == x.shape[2], "weights",
                 shape_text(weights.shape),
                 "the weights have the rows of the input " + shape_text(x.shape));
    if (call.integer("do_rotary", 0) != 0) throw UnsupportedPart("do_rotary");
    const std::int64_t count = call.required_integer("num_heads");
    const std::int64_t third = weights.shape[1] / 3;
    const std::vector<std::int64_t> sizes =
        call.integer_list("qkv_hidden_sizes")
            .value_or(std::vector<std::int64_t>{third, third, third});
    call.require(sizes.size() == 3 && sizes[0] + sizes[1] + sizes[2] == weights.shape[1],
                 "qkv_hidden_sizes", shape_text(sizes), "the sizes sum to the columns of weights");
    TensorIndex all = compose::matmul(ops, call.tensor(0), call.tensor(1));
    if (call.has_input(2)) all = ops.binary(OpCode::kAdd, all, call.tensor(2), "biased");
    const TensorIndex q = heads.split(columns(ops, all, 0, sizes[0]), count, 1);
    TensorIndex k = heads.split(columns(ops, all, sizes[0], sizes[1]), count, 1);
    TensorIndex v = heads.split(columns(ops, all, sizes[0] + sizes[1], sizes[2]), count, 1);
    AttentionOptions options = score_options(call);
    options.is_causal = call.integer("unidirectional", 0) != 0;
    if (const Value* past = call.optional_input(4); past != nullptr && past->shape[3] != 0) {
        call.require(past->rank() == 5, "past", shape_text(past->shape),
                     "earlier keys and values have five dimensions");
        const Shape one(past->shape.begin() + 1, past->shape.end());
        Shape start(5, 0), size = past->shape;
        size[0] = 1;
        const auto half = [&](std::int64_t first) {
            start[0] = first;
            return ops.reshape(ops.slice(call.tensor(4), start, size, "past"), one, "past");
        };
        k = ops.concat({half(0), k}, 2, "keys");
        v = ops.concat({half(1), v}, 2, "values");
        options.past = past->shape[3];
    }
    take_mask(call, heads, 3, options, ops.shape(q), ops.shape(k)[2], ops.type(q));
    if (call.has_input(5)) heads.add_mask(options, call.tensor(5));
    const auto results = compose::attention(ops, q, k, v, options);
    heads.set(0, x.type, compose::join_heads(ops, results.result));
    if (!call.has_output(1)) return;
    Shape one = ops.shape(k);
    one.insert(one.begin(), 1);
    heads.set(
        1, x.type,
        ops.concat({ops.reshape(k, one, "keys"), ops.reshape(v, one, "values")}, 0, "present"));
}

void multi_head_attention(const Call& call) {
    const Heads heads(call);
    OperatorBuilder& ops = call.ops();
    const Value& query = call.input(0);
    const std::int64_t count = call.required_integer("num_heads");
    if (query.rank() != 3 || !call.has_input(1) || !call.has_input(2)) {
        throw UnsupportedPart("packed queries, keys and values");
    }
    const auto biased = [&](std::size_t n, std::int64_t first) {
        if (!call.has_input(3) || call.input(n).rank() != 3) return heads.of(n, count);
        const std::int64_t size = call.input(n).shape[2];
        const TensorIndex bias = columns(ops, call.tensor(3), first, size);
        return heads.split(ops.binary(OpCode::kAdd, call.tensor(n), bias, "biased"), count, n);
    };
    const std::int64_t width = query.shape[2];
    const TensorIndex q = biased(0, 0);
    const TensorIndex k = heads.with_past(6, biased(1, width));
    const TensorIndex v = heads.with_past(7, biased(2, 2 * width));
    AttentionOptions options = score_options(call);
    options.is_causal = call.integer("unidirectional", 0) != 0;
    options.past = heads.past_length(6);
    take_mask(call, heads, 4, options, ops.shape(q), ops.shape(k)[2], ops.type(q));
    if (call.has_input(5)) heads.add_mask(options, call.tensor(5));
    const auto results = compose::attention(ops, q, k, v, options);
    heads.set(0, query.type, compose::join_heads(ops, results.result));
    heads.set(1, query.type, k);
    heads.set(2, query.type, v);
}

namespace {

/// Puts new keys or values behind the earlier ones, whose buffer may have room for them.
TensorIndex cached(const Call& call, std::size_t n, TensorIndex x, std::int64_t past) {
    OperatorBuilder& ops = call.ops();
    const Value* buffer = call.optional_input(n);
    if (buffer == nullptr || element_count(buffer->shape) == std::uint64_t{0}) return x;
    const Shape& shape = buffer->shape;
    call.require(shape.size() == 4, "input " + std::to_string(n), shape_text(shape),
                 "earlier keys have four dimensions");
    call.require(past <= shape[2], "input " + std::to_string(n), shape_text(shape),
                 "the earlier keys have " + std::to_string(past) + " positions");
    const std::int64_t added = ops.shape(x)[2];
    std::vector<TensorIndex> parts;
    const auto add = [&](std::int64_t first, std::int64_t count) {
        if (count <= 0) return;
        parts.push_back(ops.slice(call.tensor(n), {0, 0, first, 0},
                                  {shape[0], shape[1], count, shape[3]}, "past"));
    };
    add(0, past);
    parts.push_back(x);
    add(past + added, shape[2] - past - added);
    return ops.concat(parts, 2, "present");
}

TensorIndex rotated(const Call& call, TensorIndex x, std::int64_t past) {
    OperatorBuilder& ops = call.ops();
    compose::RotaryOptions options;
    options.interleaved = call.integer("rotary_interleaved", 0) != 0;
    options.rotated = 2 * call.input(7).shape.back();
    const std::int64_t steps = ops.shape(x)[2];
    TensorIndex cosines = call.tensor(7), sines = call.tensor(8);
    if (call.has_input(9)) {
        const TensorIndex rows = call.tensor(9);
        cosines = compose::rotary_rows(ops, cosines, rows);
        sines = compose::rotary_rows(ops, sines, rows);
    } else {
        cosines = compose::rotary_rows(ops, cosines, past, steps);
        sines = compose::rotary_rows(ops, sines, past, steps);
    }
    return compose::rotary_embedding(ops, x, cosines, sines, options);
}

}  // namespace

void group_query_attention(const Call& call) {
    const Heads heads(call);
    OperatorBuilder& ops = call.ops();
    const ElementType type = call.input(0).type;
    const std::int64_t count = call.required_integer("num_heads");
    const std::int64_t kv_count = call.required_integer("kv_num_heads");
    if (call.integer("smooth_softmax", 0) != 0 || call.has_input(11)) {
        throw UnsupportedPart("smooth_softmax and head_sink");
    }
    TensorIndex q = 0, k = 0, v = 0;
    if (call.has_input(1)) {
        q = heads.of(0, count);
        k = heads.of(1, kv_count);
        v = heads.of(2, kv_count);
    } else {
        const std::int64_t size = call.input(0).shape.back() / (count + 2 * kv_count);
        const TensorIndex all = call.tensor(0);
        q = heads.split(columns(ops, all, 0, count * size), count, 0);
        k = heads.split(columns(ops, all, count * size, kv_count * size), kv_count, 0);
        v = heads.split(columns(ops, all, (count + kv_count) * size, kv_count * size), kv_count, 0);
    }
    const std::vector<std::int64_t> lengths = integers(call.known(5, "sequence lengths"));
    call.require(!lengths.empty(), "seqlens_k", "empty", "each row has a length");
    const std::int64_t total = *std::ranges::max_element(lengths) + 1;
    const std::int64_t steps = ops.shape(q)[2];
    const bool is_uniform = *std::ranges::min_element(lengths) + 1 == total;
    if (!is_uniform && heads.past_length(3) != 0) {
        throw UnsupportedPart("rows of different lengths with earlier keys");
    }
    const std::int64_t past = std::max<std::int64_t>(total - steps, 0);
    if (call.integer("do_rotary", 0) != 0) {
        q = rotated(call, q, past);
        k = rotated(call, k, past);
    }
    const TensorIndex keys = cached(call, 3, k, past), values = cached(call, 4, v, past);
    AttentionOptions options = score_options(call);
    options.is_causal = true;
    options.past = past;
    const std::int64_t window = call.integer("local_window_size", -1);
    if (window > 0) options.left_window = window;
    if (call.has_input(10)) options.mask = call.tensor(10);
    const auto seen = [&](TensorIndex x) {
        Shape size = ops.shape(x);
        size[2] = std::min(size[2], past + steps);
        return ops.slice(x, Shape(4, 0), size, "seen");
    };
    const auto results = compose::attention(ops, q, seen(keys), seen(values), options);
    heads.set(0, type, compose::join_heads(ops, results.result));
    heads.set(1, type, keys);
    heads.set(2, type, values);
}

}  // namespace okksim::sim::graph::onnx::lower
