// SPDX-License-Identifier: Apache-2.0
// Operators that read elements at indices, or sort them.
#include <algorithm>

#include "sim/graph/compose/indexing.h"
#include "sim/graph/onnx/onnx_checks.h"
#include "sim/graph/onnx/onnx_elements.h"
#include "sim/graph/onnx/onnx_extents.h"
#include "sim/graph/onnx/onnx_host.h"
#include "sim/graph/onnx/onnx_operators.h"

namespace okksim::sim::graph::onnx::lower {

namespace {

/// Calls compute(indices) with known or run-time indices (operand 1).
template <typename Compute>
TensorIndex at_indices(const Call& call, Compute&& compute) {
    if (call.input(1).known) return compute(known_positions(call));
    return compute(call.tensor(1));
}

/// Returns operand 2 of OneHot, [off, on], as two tensors of one element.
std::pair<TensorIndex, TensorIndex> off_and_on(const Call& call) {
    Value& values = call.input(2);
    if (values.known) {
        const auto element = [&](std::size_t n) {
            return call.tensors().constant(picked(*values.known, {1}, {n}), "value");
        };
        return {element(0), element(1)};
    }
    OperatorBuilder& ops = call.ops();
    const TensorIndex both = call.tensor(2);
    return {ops.slice(both, {0}, {1}, "off"), ops.slice(both, {1}, {1}, "on")};
}

}  // namespace

void gather(const Call& call) {
    const Shape shape = gathered_shape(call);
    Value& x = call.input(0);
    const Value& indices = call.input(1);
    const std::size_t axis = call.axis(call.integer("axis", 0), x.rank());
    if (elements_of(shape) == 0) return set_empty(call, 0, x.type, shape);
    const bool keeps_order = indices.rank() == 1;
    const Aligned order = keeps_order ? call.aligned(0) : Aligned{false, x.rank(), {}};
    const TensorIndex data = keeps_order ? order.tensors[0] : call.tensor(0);
    const TensorIndex result = at_indices(call, [&](const auto& at) {
        return compose::gather(call.ops(), data, at, order.place(axis));
    });
    call.set_aligned(0, x.type, shape, order, result);
}

void gather_elements(const Call& call) {
    const Shape shape = gathered_shape(call);
    Value& x = call.input(0);
    const std::size_t axis = call.axis(call.integer("axis", 0), x.rank());
    if (elements_of(shape) == 0) return set_empty(call, 0, x.type, shape);
    const TensorIndex data = call.tensor(0);
    call.set_tensor(0, x.type, shape, at_indices(call, [&](const auto& at) {
                        return compose::gather_elements(call.ops(), data, at, axis);
                    }));
}

void gather_nd(const Call& call) {
    const Shape shape = gathered_shape(call);
    Value& x = call.input(0);
    const auto batch = static_cast<std::size_t>(call.integer("batch_dims", 0));
    if (elements_of(shape) == 0) return set_empty(call, 0, x.type, shape);
    const TensorIndex data = call.tensor(0);
    call.set_tensor(0, x.type, shape, at_indices(call, [&](const auto& at) {
                        return compose::gather_nd(call.ops(), data, at, batch);
                    }));
}

void compress(const Call& call) {
    call.require_inputs(2, 2);
    require_bool(call, 1);
    Value* x = &call.input(0);
    std::size_t axis = 0;
    if (call.has_attribute("axis")) {
        axis = call.axis(call.integer("axis", 0), x->rank());
    } else {
        x = &viewed(call, *x, {elements_of(x->shape)});
    }
    const std::vector<std::int64_t> condition = call.known_integers(1, "conditions");
    compose::KnownIndices kept;
    const auto most = std::min(condition.size(), static_cast<std::size_t>(x->shape[axis]));
    for (std::size_t i = 0; i < most; ++i) {
        if (condition[i] != 0) kept.values.push_back(static_cast<std::int64_t>(i));
    }
    kept.shape = {static_cast<std::int64_t>(kept.values.size())};
    Shape shape = x->shape;
    shape[axis] = kept.shape[0];
    if (elements_of(shape) == 0) return set_empty(call, 0, x->type, shape);
    const Aligned order = call.tensors().aligned({x});
    call.set_aligned(0, x->type, shape, order,
                     compose::gather(call.ops(), order.tensors[0], kept, order.place(axis)));
}

void one_hot(const Call& call) {
    call.require_inputs(3, 3);
    require_numbers(call, 0);
    Value& indices = call.input(0);
    Value& values = call.input(2);
    call.require(values.shape == Shape{2}, "values", shape_text(values.shape),
                 "values are two elements: off and on");
    const std::vector<double> depths = call.known_reals(1, "depths");
    call.require(depths.size() == 1 && depths[0] >= 1 && depths[0] <= 1 << 24, "depth",
                 depths.empty() ? "missing" : std::to_string(depths[0]),
                 "the depth is one number from 1 to 2^24");
    const auto depth = static_cast<std::int64_t>(depths[0]);
    const std::size_t axis = call.axis(call.integer("axis", -1), indices.rank() + 1);
    Shape shape = indices.shape;
    shape.insert(shape.begin() + static_cast<std::ptrdiff_t>(axis), depth);
    if (elements_of(shape) == 0) return set_empty(call, 0, values.type, shape);
    const auto [off, on] = off_and_on(call);
    OperatorBuilder& ops = call.ops();
    const TensorIndex list = onnx::cast(ops, indices.type, ElementType::kInt32, call.tensor(0));
    call.set_tensor(0, values.type, shape, compose::one_hot(ops, list, depth, on, off, axis));
}

void top_k(const Call& call) {
    call.require_inputs(call.opset() < 10 ? 1 : 2, call.opset() < 10 ? 1 : 2);
    std::size_t axis = 0;
    const std::int64_t k = top_count(call, axis);
    Value& x = call.input(0);
    Shape shape = x.shape;
    shape[axis] = k;
    if (elements_of(shape) == 0) {
        set_empty(call, 0, x.type, shape);
        return set_empty(call, 1, ElementType::kInt64, shape);
    }
    const Aligned order = call.aligned(0);
    const compose::TopElements top = compose::top_k(
        call.ops(), order.tensors[0], k, order.place(axis), call.integer("largest", 1) != 0);
    call.set_aligned(0, x.type, shape, order, top.values);
    call.set_aligned(1, ElementType::kInt64, shape, order, top.indices);
}

void reverse_sequence(const Call& call) {
    call.require_inputs(2, 2);
    require_rank(call, 0, 2);
    require_indices(call, 1);
    Value& x = call.input(0);
    const std::int64_t batch = call.integer("batch_axis", 1), time = call.integer("time_axis", 0);
    call.require((batch == 0 && time == 1) || (batch == 1 && time == 0), "time_axis",
                 std::to_string(time), "time_axis and batch_axis are 0 and 1");
    const std::int64_t rows = x.shape[static_cast<std::size_t>(batch)];
    const std::int64_t steps = x.shape[static_cast<std::size_t>(time)];
    const Value& lengths = call.input(1);
    call.require(lengths.shape == Shape{rows}, "sequence_lens", shape_text(lengths.shape),
                 "each of " + std::to_string(rows) + " sequences has a length");
    const Aligned order = call.aligned(0);
    const std::size_t b = order.place(static_cast<std::size_t>(batch));
    const std::size_t t = order.place(static_cast<std::size_t>(time));
    TensorIndex result = 0;
    if (lengths.known) {
        const std::vector<std::int64_t> list = integers(*lengths.known);
        for (const std::int64_t length : list) {
            call.require(length >= 0 && length <= steps, "sequence_lens", std::to_string(length),
                         "a length is 0 to " + std::to_string(steps));
        }
        result = compose::reverse_sequence(call.ops(), order.tensors[0], list, b, t);
    } else {
        result = compose::reverse_sequence(call.ops(), order.tensors[0], call.tensor(1), b, t);
    }
    call.set_aligned(0, x.type, x.shape, order, result);
}

}  // namespace okksim::sim::graph::onnx::lower
