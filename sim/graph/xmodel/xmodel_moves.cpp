// SPDX-License-Identifier: Apache-2.0
// Operators that only move elements: of any type.
#include <algorithm>
#include <cmath>
#include <numeric>

#include "sim/graph/xmodel/xmodel_lowering.h"

namespace okksim::sim::graph::xmodel {

namespace {

constexpr std::array<std::size_t, 4> kPlaceInChannelsLast{0, 3, 1, 2};

}  // namespace

/// Fixed-point numbers may have another fix_point in the result.
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

/// Numbers about every dimension in the order of the tensor, `each` per dimension.
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

TensorIndex Lowering::pad_block(const Value& value, TensorIndex x, std::size_t axis,
                                std::int64_t size, double constant) {
    // 64-bit elements: a double's bits, or an integer's.
    std::int64_t bits = static_cast<std::int64_t>(constant);
    if (value.type.is_float()) bits = std::bit_cast<std::int64_t>(constant);
    const Shape shape = ops_.shape(x);
    Shape ones(shape.size(), 1), multiples = shape;
    ones.back() = 2;
    multiples.back() = 1;
    multiples[axis] = size;
    const TensorIndex one =
        ops_.block().constant(DType::kI32, ones, {bits, bits >> 32}, "pad_value");
    return ops_.tile(one, multiples, "pad_block");
}

// Axis by axis: where constants meet in a corner, that of the last axis stands.
TensorIndex Lowering::constant_padded(const Call& call, const Value& value, TensorIndex x,
                                      const Shape& padding, const std::vector<double>& values) {
    const ElementType& type = value.type;
    const bool is_uniform =
        std::adjacent_find(values.begin(), values.end(), std::not_equal_to<>()) == values.end();
    const auto at_once = [&](const Shape& amounts, double constant) {
        if (type.is_fixed()) {
            constant = std::ldexp(constant, fix_point(call, value));
            constant = std::clamp(std::floor(constant + 0.5), -128.0, 127.0);
        }
        const TensorIndex number = ops_.number(type.device_type(), 1, constant);
        return ops_.pad(
            x, ValueTensors::with_words(type, ValueTensors::with_words(type, amounts, 0), 0),
            number, "padded");
    };
    if (is_uniform && (!type.is_wide() || values[0] == 0)) return at_once(padding, values[0]);
    for (std::size_t axis = 0; axis < value.rank(); ++axis) {
        for (const std::size_t side : {0U, 1U}) {
            const std::int64_t size = padding[2 * axis + side];
            const double constant = values[2 * axis + side];
            if (size == 0) continue;
            if (type.is_wide() && constant != 0) {
                const TensorIndex block = pad_block(value, x, axis, size, constant);
                x = ops_.concat(side == 0 ? std::vector{block, x} : std::vector{x, block}, axis,
                                "padded");
                continue;
            }
            Shape amounts(padding.size(), 0);
            amounts[2 * axis + side] = size;
            x = at_once(amounts, constant);
        }
    }
    return x;
}

TensorIndex Lowering::mirrored_padded(const Value& value, TensorIndex x, const Shape& padding,
                                      bool with_edge) {
    for (std::size_t axis = 0; axis < value.rank(); ++axis) {
        const std::int64_t skipped = with_edge ? 0 : 1;
        const Shape shape = ops_.shape(x);
        const std::int64_t length = shape[axis];
        const auto edge = [&](std::int64_t first, std::int64_t size) {
            Shape start(shape.size(), 0), part = shape;
            start[axis] = first;
            part[axis] = size;
            return ops_.reverse(ops_.slice(x, start, part, "edge"), axis, "mirrored");
        };
        std::vector<TensorIndex> parts{x};
        const std::int64_t before = padding[2 * axis], after = padding[2 * axis + 1];
        if (before > 0) parts.insert(parts.begin(), edge(skipped, before));
        if (after > 0) parts.push_back(edge(length - skipped - after, after));
        x = ops_.concat(parts, axis, "padded");
    }
    return x;
}

void Lowering::pad(const Call& call, Value& result) {
    Value& input = call.input();
    const char* key = call.is_oplib() ? "pad_with" : "paddings";
    const Shape given = call.node.integers(key).value_or(Shape{});
    if (given.size() != 2 * input.rank()) {
        call.node.illegal(key, list_text(given), "the attribute has two values per dimension");
    }
    const std::string mode = call.node.text("mode", "CONSTANT");
    const bool is_constant = mode == "CONSTANT", is_symmetric = mode == "SYMMETRIC";
    if (!is_constant && !is_symmetric && mode != "REFLECT") {
        call.node.illegal("mode", mode, "mode is CONSTANT, REFLECT or SYMMETRIC");
    }
    result.shape = input.shape;
    for (std::size_t i = 0; i < given.size(); ++i) {
        const std::int64_t length = input.shape[i / 2];
        const std::int64_t most = is_constant ? 1 << 30 : is_symmetric ? length : length - 1;
        if (given[i] < 0 || given[i] > most) {
            call.node.illegal(key, list_text(given),
                              given[i] < 0 ? "padding is not negative"
                                           : mode + " takes at most " + std::to_string(most) +
                                                 " elements of dimension " + std::to_string(i / 2));
        }
        result.shape[i / 2] += given[i];
    }
    const Aligned operand = aligned({&input});
    const Shape padding = permuted_axes(input, operand.is_channels_last, given, 2);
    if (!is_constant) {
        set_aligned(operand, result,
                    mirrored_padded(input, operand.tensors[0], padding, is_symmetric));
        return finish_move(call, result);
    }
    std::vector<double> values = call.node.reals("constant_values").value_or(std::vector<double>{});
    if (!call.is_oplib() && values.size() == 4 && input.rank() == 4) {
        values = {0, 0, values[2], values[3], values[0], values[1], 0, 0};  // w0, w1, h0, h1
    }
    if (values.empty()) values.assign(given.size(), 0.0);
    if (values.size() == 1) values.assign(given.size(), values[0]);
    if (values.size() != given.size()) {
        call.node.illegal("constant_values", std::to_string(values.size()) + " values",
                          "constant_values has two values per dimension");
    }
    for (std::size_t i = 0; i < values.size(); ++i) {
        if (given[i] == 0) values[i] = 0;
        constexpr double kMost = 9.0e15;  // whole numbers below are exact
        const bool is_number = std::fabs(values[i]) < kMost;
        const bool is_whole = is_number && values[i] == std::floor(values[i]);
        if (!input.type.is_float() && !(input.type.is_fixed() ? is_number : is_whole)) {
            call.node.illegal("constant_values", std::to_string(values[i]),
                              "the value is one of " + input.type.name());
        }
    }
    if (operand.is_channels_last) {
        std::vector<double> moved(values.size());
        for (std::size_t i = 0; i < values.size(); ++i) {
            moved[2 * kPlaceInChannelsLast[i / 2] + i % 2] = values[i];
        }
        values = moved;
    }
    set_aligned(operand, result, constant_padded(call, input, operand.tensors[0], padding, values));
    finish_move(call, result);
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

// The memory of a map of C channels, in N, C, H, W, is at the same time one of C / s^2 channels,
// H s rows and W s columns; the result takes from the latter's channel q, at offset (i, j) of every
// block of s x s, what becomes channel (i s + j) C / s^2 + q.
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
    // In N, C, H, W, whatever the file's order.
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

// gstiling: of files in use only, in N, H, W, C.
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
