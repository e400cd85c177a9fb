// SPDX-License-Identifier: Apache-2.0
#include "sim/graph/compose/host_values.h"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <limits>
#include <numeric>
#include <utility>

#include "sim/files/mapped_file.h"
#include "sim/graph/element.h"
#include "sim/graph/unread_parts.h"

namespace okksim::sim::graph::compose {

namespace {

/// True if the elements of a constant can be copied as bytes.
bool can_fold(OperatorBuilder& ops, TensorIndex x) {
    return ops.block().tensor(x).has_data && storage_bits(ops.type(x)) % 8 == 0;
}

/// Elements at `first` + index * steps for all positions `index` of `shape`.
struct Selection {
    Shape shape;
    Shape steps;
    std::int64_t first = 0;
};

/// Copies selected elements of kWidth bytes; 0 stands for `width`.
template <std::size_t kWidth>
void copy_elements(const Selection& elements, std::size_t width, const std::byte* from,
                   std::byte* to) {
    const std::size_t size = kWidth == 0 ? width : kWidth;
    Shape outer = elements.shape;
    const std::int64_t count = outer.empty() ? 1 : outer.back();
    const std::int64_t step = outer.empty() ? 0 : elements.steps.back();
    if (!outer.empty()) outer.pop_back();
    Shape index(outer.size(), 0);
    do {
        std::int64_t at = elements.first;
        for (std::size_t i = 0; i < index.size(); ++i) at += index[i] * elements.steps[i];
        for (std::int64_t i = 0; i < count; ++i, at += step, to += size) {
            std::memcpy(to, from + at * static_cast<std::int64_t>(size), size);
        }
    } while (next_position(index, outer));
}

void copy_elements(const Selection& elements, std::size_t width, const std::byte* from,
                   std::byte* to) {
    if (width == 1) return copy_elements<1>(elements, width, from, to);
    if (width == 2) return copy_elements<2>(elements, width, from, to);
    if (width == 4) return copy_elements<4>(elements, width, from, to);
    copy_elements<0>(elements, width, from, to);
}

/// Adds a constant with selected elements of another one. They are copied when they are needed.
TensorIndex selected(OperatorBuilder& ops, TensorIndex x, Selection elements, Shape result,
                     std::string_view role) {
    const auto width = static_cast<std::size_t>(storage_bits(ops.type(x)) / 8);
    const auto bytes = static_cast<std::uint64_t>(extent(elements.shape)) * width;
    const ConstantData from = ops.block().tensor(x).data;
    const auto fill = [elements = std::move(elements), width, from](std::span<std::byte> to) {
        if (to.empty()) return;
        from.for_each_piece(std::numeric_limits<std::size_t>::max(),
                            [&](std::span<const std::byte> all, std::uint64_t) {
                                copy_elements(elements, width, all.data(), to.data());
                                if (from.is_view()) unmap_pages(all);
                            });
    };
    return ops.block().constant_bytes(ops.type(x), std::move(result),
                                      ops.block().graph().own_deferred(bytes, fill), role);
}

/// True if a permutation keeps the order of elements: only dimensions of 1 move.
bool keeps_bytes(const Shape& from, const std::vector<std::int32_t>& perms) {
    std::vector<std::int32_t> moved;
    for (const std::int32_t axis : perms) {
        if (from[static_cast<std::size_t>(axis)] != 1) moved.push_back(axis);
    }
    return std::is_sorted(moved.begin(), moved.end());
}

}  // namespace

std::int64_t extent(const Shape& shape, std::size_t first, std::size_t limit) {
    std::int64_t result = 1;
    for (std::size_t i = first; i < limit; ++i) result *= shape[i];
    return result;
}

Shape row_steps(const Shape& shape) {
    Shape steps(shape.size(), 1);
    for (std::size_t i = shape.size(); i-- > 1;) steps[i - 1] = steps[i] * shape[i];
    return steps;
}

bool next_position(Shape& index, const Shape& shape) {
    for (std::size_t i = shape.size(); i-- > 0;) {
        if (++index[i] < shape[i]) return true;
        index[i] = 0;
    }
    return false;
}

std::vector<std::int64_t> counting(std::int64_t count) {
    constexpr std::int64_t kMost = std::int64_t{1} << 26;
    if (count > kMost) throw UnsupportedPart("a list of more than 2^26 positions");
    std::vector<std::int64_t> result(static_cast<std::size_t>(count));
    std::iota(result.begin(), result.end(), 0);
    return result;
}

TensorIndex real_values(OperatorBuilder& ops, DType type, Shape shape,
                        const std::vector<double>& values, std::string_view role) {
    if (!is_floating_point(type)) {
        return ops.block().constant(type, std::move(shape), {values.begin(), values.end()}, role);
    }
    const auto width = static_cast<std::size_t>(storage_bits(type) / 8);
    std::vector<std::byte> bytes;
    bytes.reserve(values.size() * width);
    for (const double value : values) {
        const std::uint32_t bits = encode_float(type, value);
        for (std::size_t i = 0; i < width; ++i) {
            bytes.push_back(static_cast<std::byte>(bits >> (8 * i)));
        }
    }
    return ops.block().constant_bytes(type, std::move(shape),
                                      ops.block().graph().own_bytes(std::move(bytes)), role);
}

TensorIndex index_values(OperatorBuilder& ops, Shape shape, const std::vector<std::int64_t>& values,
                         std::string_view role) {
    return ops.block().constant(DType::kI32, std::move(shape), values, role);
}

TensorIndex filled(OperatorBuilder& ops, DType type, const Shape& shape, double value) {
    const TensorIndex one = ops.number(type, shape.size(), value);
    return shape.empty() ? one : ops.tile(one, shape, "filled");
}

double lowest_value(DType type) {
    if (is_floating_point(type)) return -std::numeric_limits<double>::infinity();
    return type == DType::kBool ? 0 : -std::ldexp(1.0, storage_bits(type) - 1);
}

double highest_value(DType type) {
    if (is_floating_point(type)) return std::numeric_limits<double>::infinity();
    return type == DType::kBool ? 1 : std::ldexp(1.0, storage_bits(type) - 1) - 1;
}

TensorIndex rearranged(OperatorBuilder& ops, TensorIndex x, const Shape& from,
                       const std::vector<std::int32_t>& perms, const Shape& to,
                       std::string_view role) {
    if (!can_fold(ops, x)) {
        const TensorIndex ready = ops.reshape(x, from, "unfolded");
        return ops.reshape(ops.transpose(ready, perms, "permuted"), to, role);
    }
    if (keeps_bytes(from, perms)) return reshaped(ops, x, to, role);
    const Shape all_steps = row_steps(from);
    Shape shape, steps;
    for (const std::int32_t axis : perms) {
        shape.push_back(from[static_cast<std::size_t>(axis)]);
        steps.push_back(all_steps[static_cast<std::size_t>(axis)]);
    }
    return selected(ops, x, {shape, steps, 0}, to, role);
}

TensorIndex transposed(OperatorBuilder& ops, TensorIndex x,
                       const std::vector<std::int32_t>& perms) {
    const Shape from = ops.shape(x);
    Shape to;
    for (const std::int32_t axis : perms) to.push_back(from[static_cast<std::size_t>(axis)]);
    return rearranged(ops, x, from, perms, to);
}

TensorIndex reshaped(OperatorBuilder& ops, TensorIndex x, const Shape& shape,
                     std::string_view role) {
    if (ops.shape(x) == shape) return x;
    const Tensor& tensor = ops.block().tensor(x);
    if (!tensor.has_data) return ops.reshape(x, shape, role);
    const ConstantData data = tensor.data;
    return ops.block().constant_bytes(tensor.type, shape, data, role);
}

TensorIndex mirrored(OperatorBuilder& ops, TensorIndex x, std::size_t axis) {
    const Shape shape = ops.shape(x);
    if (shape[axis] == 1) return x;
    if (!can_fold(ops, x)) return ops.reverse(x, axis, "mirrored");
    Shape steps = row_steps(shape);
    const std::int64_t first = steps[axis] * (shape[axis] - 1);
    steps[axis] = -steps[axis];
    return selected(ops, x, {shape, steps, first}, shape, "mirrored");
}

TensorIndex part(OperatorBuilder& ops, TensorIndex x, std::size_t axis, std::int64_t start,
                 std::int64_t size) {
    const Shape shape = ops.shape(x);
    if (size == shape[axis]) return x;
    const Shape result = with_dimension(shape, axis, size);
    if (!can_fold(ops, x)) {
        return ops.slice(x, with_dimension(Shape(shape.size(), 0), axis, start), result, "part");
    }
    const Shape steps = row_steps(shape);
    return selected(ops, x, {result, steps, steps[axis] * start}, result, "part");
}

TensorIndex as_lines(OperatorBuilder& ops, TensorIndex x, std::size_t axis) {
    const Shape shape = ops.shape(x);
    return ops.reshape(
        x, {extent(shape, 0, axis), shape[axis], extent(shape, axis + 1, shape.size())}, "lines");
}

TensorIndex moved_axis(OperatorBuilder& ops, TensorIndex x, std::size_t from, std::size_t to) {
    std::vector<std::int32_t> perms(ops.rank(x));
    std::iota(perms.begin(), perms.end(), 0);
    perms.erase(perms.begin() + static_cast<std::ptrdiff_t>(from));
    perms.insert(perms.begin() + static_cast<std::ptrdiff_t>(to), static_cast<std::int32_t>(from));
    return ops.transpose(x, perms, "moved_axis");
}

TensorIndex to_movable(OperatorBuilder& ops, TensorIndex x) {
    return ops.type(x) == DType::kBool ? ops.cast(x, DType::kI8, "bytes") : x;
}

TensorIndex from_movable(OperatorBuilder& ops, TensorIndex x, DType type) {
    return ops.cast(x, type, "flags");
}

}  // namespace okksim::sim::graph::compose
