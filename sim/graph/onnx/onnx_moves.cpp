// SPDX-License-Identifier: Apache-2.0
// Operators that move elements.
#include "sim/graph/onnx/onnx_dimensions.h"
#include "sim/graph/onnx/onnx_operators.h"

namespace okksim::sim::graph::onnx::lower {

void transpose(const Call& call) {
    Value& x = call.input(0);
    const std::vector<std::size_t> order = transpose_order(call);
    Shape shape;
    for (const std::size_t axis : order) shape.push_back(x.shape[axis]);
    std::vector<std::int32_t> perms(order.begin(), order.end());
    // A transpose to or from channels last only changes the order that the graph already has.
    if (x.channels_last && perms == to_channels_last(x.rank())) {
        return call.set_tensor(0, x.type, shape, *x.channels_last);
    }
    if (!x.channels_last && x.rank() >= 3 && perms == from_channels_last(x.rank())) {
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
    const Aligned order = call.aligned(0);
    OperatorBuilder& ops = call.ops();
    TensorIndex result = order.tensors[0];
    const std::vector<SlicedDimension> dimensions = sliced_dimensions(call);
    Shape shape, start, size;
    for (const SlicedDimension& each : dimensions) {
        const bool is_forward = each.step > 0;
        shape.push_back(each.count);
        start.push_back(is_forward ? each.start : each.start + (each.count - 1) * each.step);
        size.push_back((each.count - 1) * std::abs(each.step) + 1);
    }
    if (element_count(shape) == std::uint64_t{0}) {
        return call.set_known(0, make_array(x.type, shape, std::vector<std::byte>()));
    }
    result = ops.slice(result, order.placed(start), order.placed(size), "part");
    for (std::size_t axis = 0; axis < dimensions.size(); ++axis) {
        const SlicedDimension& each = dimensions[axis];
        const std::size_t place = order.place(axis);
        if (each.step < 0) result = ops.reverse(result, place, "reversed");
        const std::int64_t step = std::abs(each.step);
        if (step == 1 || each.count == 1) continue;
        throw UnsupportedPart("steps");
    }
    call.set_aligned(0, x.type, shape, order, result);
}

}  // namespace okksim::sim::graph::onnx::lower
