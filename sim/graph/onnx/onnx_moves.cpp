// SPDX-License-Identifier: Apache-2.0
// Operators that move elements.
#include <limits>

#include "sim/graph/compose/indexing.h"
#include "sim/graph/compose/moves.h"
#include "sim/graph/onnx/onnx_checks.h"
#include "sim/graph/onnx/onnx_dimensions.h"
#include "sim/graph/onnx/onnx_extents.h"
#include "sim/graph/onnx/onnx_operators.h"

namespace okksim::sim::graph::onnx::lower {

void transpose(const Call& call) {
    Value& x = call.input(0);
    const std::vector<std::size_t> order = transpose_order(call);
    Shape shape;
    for (const std::size_t axis : order) shape.push_back(x.shape[axis]);
    std::vector<std::int32_t> perms(order.begin(), order.end());
    // A transpose to or from channels last only changes the order that the graph already has.
    const bool is_view = x.view_of != nullptr && !x.declared;
    const bool has_last = x.channels_last || is_view;
    if (has_last && perms == to_channels_last(x.rank())) {
        return call.set_tensor(0, x.type, shape, call.channels_last(0));
    }
    if (!has_last && x.rank() >= 3 && perms == from_channels_last(x.rank())) {
        return call.set_channels_last(0, x.type, shape, call.tensor(0));
    }
    call.set_tensor(0, x.type, shape, call.ops().transpose(call.tensor(0), perms, "transposed"));
}

void concat(const Call& call) {
    std::size_t axis = 0;
    call.require_same_type(call.inputs());
    const Shape shape = concat_shape(call, axis);
    std::vector<Value*> parts;  // without empty parts
    for (Value* part : call.inputs()) {
        if (part->shape[axis] != 0) parts.push_back(part);
    }
    const Aligned order = call.tensors().aligned(parts);
    call.set_aligned(0, parts[0]->type, shape, order,
                     call.ops().concat(order.tensors, order.place(axis), "joined"));
}

void slice(const Call& call) {
    Value& x = call.input(0);
    Shape shape;
    std::vector<compose::SliceRange> ranges;
    for (const SlicedDimension& each : sliced_dimensions(call)) {
        shape.push_back(each.count);
        const std::int64_t end = each.start + each.count * each.step;
        // A negative end would count from the end of the dimension.
        ranges.push_back(
            {each.start, end < 0 ? std::numeric_limits<std::int64_t>::min() : end, each.step});
    }
    if (elements_of(shape) == 0) return set_empty(call, 0, x.type, shape);
    const Aligned order = call.aligned(0);
    call.set_aligned(0, x.type, shape, order,
                     compose::strided_slice(call.ops(), order.tensors[0], order.placed(ranges)));
}

void split(const Call& call) {
    call.require_inputs(1, 2);
    Value& x = call.input(0);
    const std::size_t axis = call.axis(call.integer("axis", 0), x.rank());
    const std::vector<std::int64_t> sizes = split_sizes(call, axis);
    if (elements_of(x.shape) == 0) {
        for (std::size_t n = 0; n < sizes.size(); ++n) {
            Shape shape = x.shape;
            shape[axis] = sizes[n];
            set_empty(call, n, x.type, shape);
        }
        return;
    }
    const Aligned order = call.aligned(0);
    std::int64_t first = 0;
    for (std::size_t n = 0; n < sizes.size(); ++n) {
        Shape shape = x.shape;
        shape[axis] = sizes[n];
        std::vector<compose::SliceRange> ranges(x.rank());
        ranges[order.place(axis)] = {first, first + sizes[n], 1};
        first += sizes[n];
        if (sizes[n] == 0) {
            set_empty(call, n, x.type, shape);
        } else if (call.has_output(n)) {
            call.set_aligned(n, x.type, shape, order,
                             compose::strided_slice(call.ops(), order.tensors[0], ranges));
        }
    }
}

void tile(const Call& call) {
    call.require_inputs(2, 3);
    Value& x = call.input(0);
    const Shape repeats = tile_repeats(call);
    Shape shape = x.shape;
    for (std::size_t i = 0; i < shape.size(); ++i) shape[i] *= repeats[i];
    if (elements_of(shape) == 0) return set_empty(call, 0, x.type, shape);
    const Aligned order = call.aligned(0);
    call.set_aligned(0, x.type, shape, order,
                     compose::tile(call.ops(), order.tensors[0], order.placed(repeats)));
}

}  // namespace okksim::sim::graph::onnx::lower
