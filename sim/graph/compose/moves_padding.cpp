// SPDX-License-Identifier: Apache-2.0
// Padding by elements of the tensor itself.
#include <algorithm>

#include "sim/graph/compose/host_values.h"
#include "sim/graph/compose/indexing.h"
#include "sim/graph/compose/moves.h"

namespace okksim::sim::graph::compose {

namespace {

/// Returns the element that the padded position `at` copies, for positions of any distance.
std::int64_t mirrored_position(std::int64_t at, std::int64_t size, PadMode mode) {
    if (mode == PadMode::kEdge) return std::clamp<std::int64_t>(at, 0, size - 1);
    if (mode == PadMode::kReflect && size == 1) return 0;
    const std::int64_t period = mode == PadMode::kWrap      ? size
                                : mode == PadMode::kReflect ? 2 * (size - 1)
                                                            : 2 * size;
    const std::int64_t phase = ((at % period) + period) % period;
    if (phase < size) return phase;
    return mode == PadMode::kReflect ? period - phase : period - 1 - phase;
}

/// Crops by negative padding, and returns the padding that remains.
TensorIndex cropped_by(OperatorBuilder& ops, TensorIndex x, Shape& padding) {
    for (std::size_t i = 0; i < ops.rank(x); ++i) {
        const std::int64_t front = std::max<std::int64_t>(-padding[2 * i], 0);
        const std::int64_t back = std::max<std::int64_t>(-padding[2 * i + 1], 0);
        const std::int64_t size = ops.shape(x)[i] - front - back;
        padding[2 * i] += front;
        padding[2 * i + 1] += back;
        if (size >= 1) {
            x = part(ops, x, i, front, size);
        } else {  // elements that only the padding replaces
            x = part(ops, x, i, 0, 1);
            (padding[2 * i] > 0 ? padding[2 * i] : padding[2 * i + 1]) += size - 1;
        }
    }
    return x;
}

/// Joins the edge or mirrored elements of one axis to the tensor.
TensorIndex padded_axis(OperatorBuilder& ops, TensorIndex x, std::size_t axis, std::int64_t before,
                        std::int64_t after, PadMode mode) {
    if (before == 0 && after == 0) return x;
    const std::int64_t size = ops.shape(x)[axis];
    const bool is_single = mode == PadMode::kReflect && before < size && after < size;
    const auto side = [&](std::int64_t first, std::int64_t count) {
        if (mode == PadMode::kEdge) {
            const TensorIndex border = part(ops, x, axis, first < 0 ? 0 : size - 1, 1);
            return ops.tile(border, with_dimension(Shape(ops.rank(x), 1), axis, count), "edge");
        }
        return ops.reverse(part(ops, x, axis, first < 0 ? 1 : size - 1 - count, count), axis,
                           "reflected");
    };
    if (mode == PadMode::kEdge || is_single) {
        std::vector<TensorIndex> parts;
        if (before > 0) parts.push_back(side(-before, before));
        parts.push_back(x);
        if (after > 0) parts.push_back(side(size, after));
        return concat(ops, parts, axis);
    }
    KnownIndices list{{before + size + after}, {}};
    for (std::int64_t at = -before; at < size + after; ++at) {
        list.values.push_back(mirrored_position(at, size, mode));
    }
    return gather(ops, x, list, axis);
}

}  // namespace

TensorIndex pad(OperatorBuilder& ops, TensorIndex x, const Shape& padding, PadMode mode,
                double value) {
    Shape rest = padding;
    x = cropped_by(ops, x, rest);
    if (mode == PadMode::kConstant) {
        return ops.pad(x, rest, ops.number(ops.type(x), 1, value), "padded");
    }
    for (std::size_t i = 0; i < ops.rank(x); ++i) {
        x = padded_axis(ops, x, i, rest[2 * i], rest[2 * i + 1], mode);
    }
    return x;
}

TensorIndex pad_with(OperatorBuilder& ops, TensorIndex x, const Shape& padding, TensorIndex value) {
    Shape rest = padding;
    x = cropped_by(ops, x, rest);
    if (ops.block().tensor(value).has_data) {
        return ops.pad(x, rest, ops.reshape(value, {1}, "pad_value"), "padded");
    }
    // PAD takes constants only: a mask selects the value outside.
    const Shape inner = ops.shape(x);
    const DType type = ops.type(x);
    const TensorIndex padded = ops.pad(x, rest, ops.number(type, 1, 0), "padded");
    const TensorIndex inside = ops.pad(filled(ops, DType::kBool, inner, 1), rest,
                                       ops.number(DType::kBool, 1, 0), "inside");
    const TensorIndex one = ops.reshape(value, Shape(inner.size(), 1), "pad_value");
    return ops.select(inside, padded, one, "padded_with");
}

}  // namespace okksim::sim::graph::compose
