// SPDX-License-Identifier: Apache-2.0
// Padding with constants and mirrored edges, for any type.
#include <algorithm>
#include <bit>
#include <cmath>
#include <functional>

#include "sim/graph/xmodel/xmodel_lowering.h"

namespace okksim::sim::graph::xmodel {

TensorIndex Lowering::pad_block(const Value& value, TensorIndex x, std::size_t axis,
                                std::int64_t size, double constant) {
    // 64-bit elements: the bits of a double, or an integer.
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

// Pads axis by axis, so the last axis determines the constant in a corner.
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

}  // namespace okksim::sim::graph::xmodel
