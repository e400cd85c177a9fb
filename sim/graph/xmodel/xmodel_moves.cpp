// SPDX-License-Identifier: Apache-2.0
// Operators that only copy elements, of any type.
#include <algorithm>

#include "sim/graph/xmodel/xmodel_lowering.h"

namespace okksim::sim::graph::xmodel {

/// Fixed-point results may need another fix_point than the input.
void Lowering::finish_move(const Call& call, Value& result) {
    if (!result.type.is_fixed() || call.input().fix_point == result.fix_point) return;
    std::optional<TensorIndex>& tensor = result.declared ? result.declared : result.channels_last;
    tensor = fixed_.moved(*tensor, fix_point(call, call.input()), fix_point(call, result),
                          result.rounding);
    (&tensor == &result.declared ? result.channels_last : result.declared).reset();
}

void Lowering::pass_on(const Call& call, Value& result) {
    Value& input = call.input();
    if (input.is_constant) tensors_.declared(input);
    result.shape = input.shape;
    result.fix_point = input.fix_point;
    result.declared = input.declared;
    result.channels_last = input.channels_last;
}

void Lowering::concat(const Call& call, Value& result) {
    const Value& first = call.input();
    std::int64_t axis = call.node.integer("axis", 1);
    const auto rank = static_cast<std::int64_t>(first.rank());
    if (call.is_oplib() && axis != 0 && axis != 1) {
        call.node.illegal("axis", std::to_string(axis), "axis is 0 or 1");
    }
    if (!call.is_oplib() && axis < 0) axis += rank;
    if (axis < 0 || axis >= rank) {
        call.node.illegal("axis", std::to_string(axis), "axis is a dimension of the inputs");
    }
    const auto along = static_cast<std::size_t>(axis);
    result.shape = first.shape;
    result.shape[along] = 0;
    for (const Value* value : call.inputs) {
        require_type(call, *value, "input");
        Shape others = value->shape;
        const Shape wanted = first.shape;
        if (others.size() == wanted.size()) others[along] = wanted[along];
        if (others != wanted) {
            call.node.illegal(
                "input " + value->name, shape_text(value->shape),
                "the shapes match in all dimensions but axis, here " + shape_text(wanted));
        }
        result.shape[along] += value->shape[along];
    }
    Aligned operands = aligned(call.inputs);
    if (first.type.is_fixed()) {
        for (std::size_t i = 0; i < operands.tensors.size(); ++i) {
            operands.tensors[i] =
                fixed_.moved(operands.tensors[i], fix_point(call, *call.inputs[i]),
                             fix_point(call, result), result.rounding);
        }
    }
    const std::size_t at = operands.is_channels_last ? kPlaceInChannelsLast[along] : along;
    set_aligned(operands, result, ops_.concat(operands.tensors, at, "joined"));
}

/// Permutes per-dimension numbers to the order of the tensor, with `each` numbers per dimension.
Shape Lowering::permuted_axes(const Value& value, bool is_channels_last, const Shape& per_axis,
                              std::size_t each) {
    if (!is_channels_last) return per_axis;
    Shape result(per_axis.size());
    for (std::size_t axis = 0; axis < value.rank(); ++axis) {
        for (std::size_t i = 0; i < each; ++i) {
            result[each * kPlaceInChannelsLast[axis] + i] = per_axis[each * axis + i];
        }
    }
    return result;
}

void Lowering::reshape(const Call& call, Value& result) {
    Value& input = call.input();
    Shape shape = call.node.integers("shape").value_or(Shape{});
    const Shape given = shape;
    std::optional<std::size_t> open;
    std::int64_t known = 1;
    const auto count = static_cast<std::int64_t>(*element_count(input.shape));
    for (std::size_t i = 0; i < shape.size(); ++i) {
        if (shape[i] == 0 && i < input.rank()) shape[i] = input.shape[i];
        if (shape[i] == -1 && !open) {
            open = i;
            continue;
        }
        if (shape[i] < 0 || shape[i] > (std::int64_t{1} << 40)) {
            call.node.illegal("shape", list_text(given),
                              "sizes are positive; one of them may be -1");
        }
        if (shape[i] > 0 && known > count / shape[i]) break;  // too many elements: refused below
        known *= shape[i];
    }
    if (open && known > 0 && count % known == 0) shape[*open] = count / known;
    const bool fits = element_count(shape) == static_cast<std::uint64_t>(count);
    if (!fits || (open && shape[*open] < 1)) {
        call.node.illegal("shape", list_text(given),
                          "the shape has the input's elements, " + std::to_string(count));
    }
    result.shape = shape;
    result.declared =
        tensors_.reshape_step(input.type, tensors_.declared(input), shape, "reshaped");
    finish_move(call, result);
}

void Lowering::squeeze(const Call& call, Value& result) {
    Value& input = call.input();
    const auto rank = static_cast<std::int64_t>(input.rank());
    std::vector<bool> is_dropped(input.rank(), false);
    const Shape axes = call.node.integers("axis").value_or(Shape{});
    for (const std::int64_t axis : axes) {
        const std::int64_t at = !call.is_oplib() && axis < 0 ? axis + rank : axis;
        if (at < 0 || at >= rank || input.shape[static_cast<std::size_t>(at)] != 1) {
            call.node.illegal("axis", std::to_string(axis),
                              "axis is a dimension of size 1 of " + shape_text(input.shape));
        }
        is_dropped[static_cast<std::size_t>(at)] = true;
    }
    result.shape.clear();
    for (std::size_t i = 0; i < input.rank(); ++i) {
        const bool drops = axes.empty() ? input.shape[i] == 1 : is_dropped[i];
        if (!drops) result.shape.push_back(input.shape[i]);
    }
    result.declared =
        tensors_.reshape(input.type, tensors_.declared(input), result.shape, "squeezed");
    finish_move(call, result);
}

void Lowering::tile(const Call& call, Value& result) {
    Value& input = call.input();
    const Shape multiples = call.node.integers("multiples").value_or(Shape{});
    const bool is_positive = std::all_of(multiples.begin(), multiples.end(),
                                         [](std::int64_t m) { return m > 0 && m < 1 << 30; });
    if (multiples.size() != input.rank() || !is_positive) {
        call.node.illegal("multiples", list_text(multiples),
                          "multiples has a positive value per dimension of the input");
    }
    result.shape = input.shape;
    for (std::size_t i = 0; i < multiples.size(); ++i) result.shape[i] *= multiples[i];
    const Aligned operand = aligned({&input});
    const Shape moved = permuted_axes(input, operand.is_channels_last, multiples, 1);
    set_aligned(
        operand, result,
        ops_.tile(operand.tensors[0], ValueTensors::with_words(input.type, moved, 1), "tiled"));
    finish_move(call, result);
}

// A feature map of C channels (N, C, H, W) is reinterpreted as one of C / s^2 channels, H s rows
// and W s columns. Every s x s block has an element at offset (i, j). These
// elements of channel q become channel (i s + j) C / s^2 + q of the result.
void Lowering::reorg(const Call& call, Value& result) {
    Value& input = call.input();
    require_rank(call, input, 4);
    const bool is_reverse = call.node.flag(call.is_oplib() ? "Reversed" : "reverse", false);
    const std::int64_t s = call.node.integer("scale", 1);
    const Shape maps = maps_shape(call, input);
    const std::int64_t n = maps[0], height = maps[1], width = maps[2], channels = maps[3];
    const std::int64_t area = s > 0 && s < 4096 ? s * s : 0;
    if (area == 0 || (!is_reverse && (height % s != 0 || width % s != 0))) {
        call.node.illegal("scale", std::to_string(s),
                          "scale is positive and divides height and width, " +
                              std::to_string(height) + " and " + std::to_string(width));
    }
    const std::int64_t least = is_reverse ? area * area : area;
    if (channels % least != 0) {
        call.node.illegal(
            "scale", std::to_string(s),
            std::to_string(least) + " divides the channels, " + std::to_string(channels));
    }
    // The operator works on N, C, H, W, independently of the file's order.
    Value memory = input;
    if (!call.is_oplib()) {
        memory.shape = {n, channels, height, width};
        memory.is_constant = false;
        memory.channels_last = tensors_.declared(input);
        memory.declared.reset();
    }
    TensorIndex x = tensors_.declared(memory);
    const ElementType& type = input.type;
    // H, W and q of the two views.
    const std::int64_t h = is_reverse ? height * s : height, w = is_reverse ? width * s : width;
    const std::int64_t q = channels / least;
    Shape shape;
    if (is_reverse) {
        x = tensors_.reshape(type, x, {n, area, q, h * w}, "by_offset");
        x = tensors_.transpose(type, x, {0, 2, 1, 3}, "by_channel");
        x = tensors_.reshape(type, x, {n * q, s, s, h, w}, "blocks");
        x = tensors_.transpose(type, x, {0, 3, 1, 4, 2}, "interleaved");
        shape = {n, channels / area, h, w};
    } else {
        x = tensors_.reshape(type, x, {n * q, h, s, w, s}, "interleaved");
        x = tensors_.transpose(type, x, {0, 2, 4, 1, 3}, "blocks");
        x = tensors_.reshape(type, x, {n, q, area, h * w}, "by_channel");
        x = tensors_.transpose(type, x, {0, 2, 1, 3}, "by_offset");
        shape = {n, channels * area, h / s, w / s};
    }
    Value moved = result;
    moved.shape = shape;
    moved.declared = tensors_.reshape(type, x, shape, "reorganised");
    if (call.is_oplib()) {
        result = moved;
    } else {
        result.shape = {shape[0], shape[2], shape[3], shape[1]};
        result.declared = tensors_.channels_last(moved);
    }
    finish_move(call, result);
}

// gstiling, which only XIR files have, in N, H, W, C.
void Lowering::space_to_depth(const Call& call, Value& result) {
    Value& input = call.input();
    require_rank(call, input, 4);
    const bool is_reverse = call.node.flag("reverse", false);
    const std::int64_t s = call.node.integer("stride", 1);
    const auto [n, h, w, c] =
        std::array{input.shape[0], input.shape[1], input.shape[2], input.shape[3]};
    const bool fits =
        s > 0 && s < 4096 && (is_reverse ? c % (s * s) == 0 : h % s == 0 && w % s == 0);
    if (!fits) {
        call.node.illegal("stride", std::to_string(s),
                          is_reverse ? "the square of stride divides the channels"
                                     : "stride divides height and width");
    }
    const ElementType& type = input.type;
    TensorIndex x = tensors_.declared(input);
    if (is_reverse) {
        const std::int64_t depth = c / (s * s);
        x = tensors_.reshape(type, x, {n * h, w, s, s * depth}, "blocks");
        x = tensors_.transpose(type, x, {0, 2, 1, 3}, "rows");
        result.shape = {n, h * s, w * s, depth};
    } else {
        x = tensors_.reshape(type, x, {n * h / s, s, w / s, s * c}, "rows");
        x = tensors_.transpose(type, x, {0, 2, 1, 3}, "blocks");
        result.shape = {n, h / s, w / s, s * s * c};
    }
    result.declared = tensors_.reshape(type, x, result.shape, "tiled");
    finish_move(call, result);
}

}  // namespace okksim::sim::graph::xmodel
