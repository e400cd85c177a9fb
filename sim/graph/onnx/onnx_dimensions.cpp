// SPDX-License-Identifier: Apache-2.0
#include "sim/graph/onnx/onnx_dimensions.h"

#include <algorithm>
#include <numeric>

namespace okksim::sim::graph::onnx {

std::optional<std::vector<std::int64_t>> list_operand(const Call& call, std::string_view attribute,
                                                      std::size_t n) {
    if (call.has_input(n)) return call.known_integers(n, std::string(attribute).c_str());
    return call.integer_list(attribute);
}

namespace {

Shape reshape_shape(const Call& call) {
    const auto list = list_operand(call, "shape", 1);
    if (!list) call.illegal("shape", "missing", "the operator has a shape");
    const Shape& from = call.input(0).shape;
    const bool keeps_zero = call.integer("allowzero", 0) != 0;
    Shape shape = *list;
    std::optional<std::size_t> open;
    std::int64_t rest = 1;
    for (std::size_t i = 0; i < shape.size(); ++i) {
        if (shape[i] == -1) {
            if (open) call.illegal("shape", shape_text(*list), "at most one dimension is -1");
            open = i;
            continue;
        }
        if (shape[i] == 0 && !keeps_zero) {
            if (i >= from.size()) {
                call.illegal("shape", shape_text(*list),
                             "0 copies a dimension of the input, " + shape_text(from));
            }
            shape[i] = from[i];
        }
        if (shape[i] < 0) call.illegal("shape", shape_text(*list), "dimensions are -1 or more");
        rest *= shape[i];
    }
    const auto elements = static_cast<std::int64_t>(element_count(from).value_or(0));
    if (open && rest != 0) shape[*open] = elements / rest;
    if (open && rest == 0) shape[*open] = 0;
    if (element_count(shape) != static_cast<std::uint64_t>(elements)) {
        call.illegal("shape", shape_text(*list),
                     "the shape keeps the number of elements of the input, " + shape_text(from));
    }
    return shape;
}

Shape squeezed_shape(const Call& call) {
    const Shape& from = call.input(0).shape;
    const auto list = list_operand(call, "axes", 1);
    std::vector<bool> is_dropped(from.size());
    if (list) {
        for (const std::size_t axis : call.axes(*list, from.size())) {
            if (from[axis] != 1) {
                call.illegal("axes", shape_text(*list),
                             "a dropped dimension is 1, here " + shape_text(from));
            }
            is_dropped[axis] = true;
        }
    } else {
        for (std::size_t i = 0; i < from.size(); ++i) is_dropped[i] = from[i] == 1;
    }
    Shape shape;
    for (std::size_t i = 0; i < from.size(); ++i) {
        if (!is_dropped[i]) shape.push_back(from[i]);
    }
    return shape;
}

Shape unsqueezed_shape(const Call& call) {
    const Shape& from = call.input(0).shape;
    const auto list = list_operand(call, "axes", 1);
    if (!list) call.illegal("axes", "missing", "the operator has axes");
    const std::size_t rank = from.size() + list->size();
    std::vector<bool> is_new(rank);
    for (const std::size_t axis : call.axes(*list, rank)) is_new[axis] = true;
    Shape shape;
    for (std::size_t i = 0, next = 0; i < rank; ++i) {
        shape.push_back(is_new[i] ? 1 : from[next++]);
    }
    return shape;
}

Shape flattened_shape(const Call& call) {
    const Shape& from = call.input(0).shape;
    const std::int64_t number = call.integer("axis", 1);
    const auto rank = static_cast<std::int64_t>(from.size());
    if (number < -rank || number > rank) {
        call.illegal(
            "axis", std::to_string(number),
            "an axis of Flatten is " + std::to_string(-rank) + " to " + std::to_string(rank));
    }
    const auto axis = from.begin() + (number < 0 ? number + rank : number);
    const auto product = [](auto begin, auto end) {
        return std::accumulate(begin, end, std::int64_t{1}, std::multiplies<>());
    };
    return {product(from.begin(), axis), product(axis, from.end())};
}

}  // namespace

Shape viewed_shape(const Call& call) {
    call.require_inputs(1, call.op_type() == "Flatten" ? 1 : 2);
    if (call.op_type() == "Reshape") return reshape_shape(call);
    if (call.op_type() == "Squeeze") return squeezed_shape(call);
    if (call.op_type() == "Unsqueeze") return unsqueezed_shape(call);
    return flattened_shape(call);
}

std::vector<std::size_t> transpose_order(const Call& call) {
    call.require_inputs(1, 1);
    const std::size_t rank = call.input(0).rank();
    std::vector<std::size_t> order(rank);
    const auto list = call.integer_list("perm");
    if (!list) {
        for (std::size_t i = 0; i < rank; ++i) order[i] = rank - 1 - i;
        return order;
    }
    std::vector<bool> is_used(rank);
    if (list->size() != rank) {
        call.illegal("perm", shape_text(*list), "perm has a number per dimension");
    }
    for (std::size_t i = 0; i < rank; ++i) {
        // Negative axes are not legal here.
        const auto axis = static_cast<std::size_t>((*list)[i]);
        if (axis >= rank || is_used[axis])
            call.illegal("perm", shape_text(*list), "perm names each axis once");
        is_used[axis] = true;
        order[i] = axis;
    }
    return order;
}

std::vector<SlicedDimension> sliced_dimensions(const Call& call) {
    call.require_inputs(1, 5);
    const Shape& from = call.input(0).shape;
    const auto starts = list_operand(call, "starts", 1), ends = list_operand(call, "ends", 2);
    if (!starts || !ends) call.illegal("starts, ends", "missing", "the operator has both");
    std::vector<std::int64_t> numbers(starts->size());
    std::iota(numbers.begin(), numbers.end(), 0);
    numbers = list_operand(call, "axes", 3).value_or(numbers);
    std::vector<std::int64_t> steps(starts->size(), 1);
    if (call.has_input(4)) steps = call.known_integers(4, "steps");
    if (ends->size() != starts->size() || numbers.size() != starts->size() ||
        steps.size() != starts->size()) {
        call.illegal("starts", shape_text(*starts), "starts, ends, axes and steps have one length");
    }
    std::vector<SlicedDimension> result;
    for (const std::int64_t size : from) result.push_back({0, 1, size});
    const std::vector<std::size_t> axes = call.axes(numbers, from.size());
    for (std::size_t i = 0; i < axes.size(); ++i) {
        const std::int64_t size = from[axes[i]], step = steps[i];
        if (step == 0) call.illegal("steps", shape_text(steps), "a step is not 0");
        const auto bounded = [&](std::int64_t at) {
            // INT64_MIN + size does not overflow: sizes are positive.
            if (at < 0) at += size;
            return step > 0 ? std::clamp<std::int64_t>(at, 0, size)
                            : std::clamp<std::int64_t>(at, -1, size - 1);
        };
        const std::int64_t start = bounded((*starts)[i]);
        const std::int64_t end = bounded((*ends)[i]);
        const std::int64_t span = step > 0 ? end - start : start - end;
        // |INT64_MIN| is not representable, but any step above the size gives one element.
        const std::int64_t stride = std::min<std::int64_t>(
            step > 0 ? step : -std::max<std::int64_t>(step, -size - 1), size + 1);
        const std::int64_t count = span <= 0 ? 0 : (span + stride - 1) / stride;
        result[axes[i]] = {start, step > 0 ? stride : -stride, count};
    }
    return result;
}

Shape concat_shape(const Call& call, std::size_t& axis) {
    const Value& first = call.input(0);
    const bool has_default = call.opset() < 4;
    axis = call.axis(has_default ? call.integer("axis", 1) : call.required_integer("axis"),
                     first.rank());
    Shape shape = first.shape;
    shape[axis] = 0;
    for (std::size_t n = 0; n < call.input_count(); ++n) {
        const Shape& part = call.input(n).shape;
        bool fits = part.size() == shape.size();
        for (std::size_t i = 0; fits && i < part.size(); ++i) {
            fits = i == axis || part[i] == shape[i];
        }
        if (!fits) {
            call.illegal("input " + std::string(call.input(n).name), shape_text(part),
                         "the inputs of Concat differ only along the axis " + std::to_string(axis) +
                             ", here " + shape_text(first.shape));
        }
        shape[axis] += part[axis];
    }
    return shape;
}

Shape expanded_shape(const Call& call) {
    call.require_inputs(2, 2);
    const Shape wanted = call.known_integers(1, "shapes");
    const Shape& from = call.input(0).shape;
    const std::size_t rank = std::max(wanted.size(), from.size());
    Shape shape(rank);
    for (std::size_t i = 0; i < rank; ++i) {
        const auto at = [&](const Shape& of) {
            return i + of.size() < rank ? 1 : of[i + of.size() - rank];
        };
        const std::int64_t a = at(from), b = at(wanted);
        if (b < 0 || (a != b && a != 1 && b != 1)) {
            call.illegal("shape", shape_text(wanted),
                         "dimensions are equal or 1, here " + shape_text(from));
        }
        shape[i] = a == 1 ? b : a;
    }
    return shape;
}

}  // namespace okksim::sim::graph::onnx
