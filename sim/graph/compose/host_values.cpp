// SPDX-License-Identifier: Apache-2.0
#include "sim/graph/compose/host_values.h"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <limits>
#include <numeric>
#include <utility>

#include "sim/graph/element.h"

namespace okksim::sim::graph::compose {

namespace {

/// True if the elements of a constant can be copied as bytes.
bool can_fold(OperatorBuilder& ops, TensorIndex x) {
    return ops.block().tensor(x).has_data && storage_bits(ops.type(x)) % 8 == 0;
}

/// Copies the elements at `first` + index * steps, which are positions in a constant.
TensorIndex copied(OperatorBuilder& ops, TensorIndex x, const Shape& shape, const Shape& steps,
                   std::int64_t first, Shape result, std::string_view role) {
    const auto width = static_cast<std::size_t>(storage_bits(ops.type(x)) / 8);
    const std::span<const std::byte> from = ops.block().tensor(x).data;
    std::vector<std::byte> bytes(static_cast<std::size_t>(extent(shape)) * width);
    Shape index(shape.size(), 0);
    std::byte* to = bytes.data();
    do {
        std::int64_t at = first;
        for (std::size_t i = 0; i < index.size(); ++i) at += index[i] * steps[i];
        std::memcpy(to, from.data() + static_cast<std::size_t>(at) * width, width);
        to += width;
    } while (next_position(index, shape));
    return ops.block().constant_bytes(ops.type(x), std::move(result),
                                      ops.block().graph().own_bytes(std::move(bytes)), role);
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
                       const std::vector<std::int32_t>& perms, const Shape& to) {
    if (!can_fold(ops, x)) {
        const TensorIndex ready = ops.reshape(x, from, "unfolded");
        return ops.reshape(ops.transpose(ready, perms, "permuted"), to, "arranged");
    }
    if (std::is_sorted(perms.begin(), perms.end())) return reshaped(ops, x, to);
    const Shape all_steps = row_steps(from);
    Shape shape, steps;
    for (const std::int32_t axis : perms) {
        shape.push_back(from[static_cast<std::size_t>(axis)]);
        steps.push_back(all_steps[static_cast<std::size_t>(axis)]);
    }
    return copied(ops, x, shape, steps, 0, to, "arranged");
}

TensorIndex transposed(OperatorBuilder& ops, TensorIndex x,
                       const std::vector<std::int32_t>& perms) {
    const Shape from = ops.shape(x);
    Shape to;
    for (const std::int32_t axis : perms) to.push_back(from[static_cast<std::size_t>(axis)]);
    return rearranged(ops, x, from, perms, to);
}

TensorIndex reshaped(OperatorBuilder& ops, TensorIndex x, const Shape& shape) {
    if (ops.shape(x) == shape) return x;
    const Tensor& tensor = ops.block().tensor(x);
    if (!tensor.has_data) return ops.reshape(x, shape, "shaped");
    const std::span<const std::byte> bytes = tensor.data;
    return ops.block().constant_bytes(tensor.type, shape, bytes, "shaped");
}

TensorIndex mirrored(OperatorBuilder& ops, TensorIndex x, std::size_t axis) {
    const Shape shape = ops.shape(x);
    if (shape[axis] == 1) return x;
    if (!can_fold(ops, x)) return ops.reverse(x, axis, "mirrored");
    Shape steps = row_steps(shape);
    const std::int64_t first = steps[axis] * (shape[axis] - 1);
    steps[axis] = -steps[axis];
    return copied(ops, x, shape, steps, first, shape, "mirrored");
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
    return copied(ops, x, result, steps, steps[axis] * start, result, "part");
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
