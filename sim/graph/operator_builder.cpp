// SPDX-License-Identifier: Apache-2.0
#include "sim/graph/operator_builder.h"

#include <algorithm>
#include <string>

#include "sim/graph/element.h"

namespace okksim::sim::graph {

namespace {

Attributes binary_attributes(OpCode op) {
    if (op == OpCode::kMaximum) return MaximumAttributes{NanPropagationMode::kPropagate};
    if (op == OpCode::kMinimum) return MinimumAttributes{NanPropagationMode::kPropagate};
    if (op == OpCode::kArithmeticRightShift) return ArithmeticRightShiftAttributes{false};
    return NoAttributes{};
}

ElementBytes element_bytes(DType type, double value) {
    const auto size = static_cast<std::uint32_t>(storage_bits(type) / 8);
    const std::uint64_t bits = is_floating_point(type)
                                   ? encode_float(type, value)
                                   : static_cast<std::uint64_t>(static_cast<std::int64_t>(value));
    ElementBytes bytes;
    bytes.size = size;
    for (std::uint32_t i = 0; i < size; ++i) {
        bytes.bytes[i] = static_cast<std::uint8_t>(bits >> (8 * i));
    }
    return bytes;
}

}  // namespace

TensorIndex OperatorBuilder::reshape(TensorIndex x, Shape shape, std::string_view role) {
    return this->shape(x) == shape ? x : reshape_step(x, std::move(shape), role);
}

TensorIndex OperatorBuilder::reshape_step(TensorIndex x, Shape shape, std::string_view role) {
    const TensorIndex dimensions = b_.shape_value(shape, std::string(role) + "_shape");
    return b_.add(OpCode::kReshape, NoAttributes{}, {x, dimensions}, type(x), std::move(shape),
                  role);
}

TensorIndex OperatorBuilder::transpose(TensorIndex x, const std::vector<std::int32_t>& perms,
                                       std::string_view role) {
    const Shape from = shape(x);
    Shape to(from.size());
    std::vector<std::int32_t> moved;  // dimensions of more than one element, in the new order
    for (std::size_t i = 0; i < perms.size(); ++i) {
        to[i] = from[static_cast<std::size_t>(perms[i])];
        if (to[i] != 1) moved.push_back(perms[i]);
    }
    if (std::is_sorted(moved.begin(), moved.end())) return reshape(x, to, role);
    return b_.add(OpCode::kTranspose, TransposeAttributes{perms}, {x}, type(x), to, role);
}

TensorIndex OperatorBuilder::slice(TensorIndex x, const Shape& start, const Shape& size,
                                   std::string_view role) {
    if (shape(x) == size) return x;
    const TensorIndex from = b_.shape_value(start, std::string(role) + "_start");
    const TensorIndex extent = b_.shape_value(size, std::string(role) + "_size");
    return b_.add(OpCode::kSlice, NoAttributes{}, {x, from, extent}, type(x), size, role);
}

TensorIndex OperatorBuilder::concat(const std::vector<TensorIndex>& parts, std::size_t axis,
                                    std::string_view role) {
    if (parts.size() == 1) return parts[0];
    Shape result = shape(parts[0]);
    result[axis] = 0;
    for (const TensorIndex part : parts) result[axis] += shape(part)[axis];
    return b_.add(OpCode::kConcat, ConcatAttributes{static_cast<std::int32_t>(axis)}, parts,
                  type(parts[0]), result, role);
}

TensorIndex OperatorBuilder::pad(TensorIndex x, const Shape& padding, TensorIndex value,
                                 std::string_view role) {
    Shape result = shape(x);
    for (std::size_t i = 0; i < result.size(); ++i)
        result[i] += padding[2 * i] + padding[2 * i + 1];
    if (result == shape(x)) return x;
    const TensorIndex amounts = b_.shape_value(padding, std::string(role) + "_padding");
    return b_.add(OpCode::kPad, NoAttributes{}, {x, amounts, value}, type(x), result, role);
}

TensorIndex OperatorBuilder::tile(TensorIndex x, const Shape& multiples, std::string_view role) {
    Shape result = shape(x);
    for (std::size_t i = 0; i < result.size(); ++i) result[i] *= multiples[i];
    if (result == shape(x)) return x;
    const TensorIndex times = b_.shape_value(multiples, std::string(role) + "_multiples");
    return b_.add(OpCode::kTile, NoAttributes{}, {x, times}, type(x), result, role);
}

TensorIndex OperatorBuilder::reverse(TensorIndex x, std::size_t axis, std::string_view role) {
    if (shape(x)[axis] == 1) return x;
    return b_.add(OpCode::kReverse, ReverseAttributes{static_cast<std::int32_t>(axis)}, {x},
                  type(x), shape(x), role);
}

TensorIndex OperatorBuilder::gather(TensorIndex values, TensorIndex indices,
                                    std::string_view role) {
    const Shape result{shape(values)[0], shape(indices)[1], shape(values)[2]};
    return b_.add(OpCode::kGather, NoAttributes{}, {values, indices}, type(values), result, role);
}

Shape OperatorBuilder::joint(const Shape& x, const Shape& y) {
    Shape result = x;
    for (std::size_t i = 0; i < x.size(); ++i) result[i] = x[i] == 1 ? y[i] : x[i];
    return result;
}

TensorIndex OperatorBuilder::with_rank(TensorIndex x, std::size_t rank) {
    Shape result = shape(x);
    result.insert(result.begin(), rank - result.size(), 1);
    return reshape(x, result, "ranked");
}

TensorIndex OperatorBuilder::unary(OpCode op, TensorIndex x, std::string_view role) {
    return b_.add(op, NoAttributes{}, {x}, type(x), shape(x), role);
}

TensorIndex OperatorBuilder::binary(OpCode op, TensorIndex x, TensorIndex y,
                                    std::string_view role) {
    const std::size_t most = std::max(rank(x), rank(y));
    x = with_rank(x, most);
    y = with_rank(y, most);
    return b_.add(op, binary_attributes(op), {x, y}, type(x), joint(shape(x), shape(y)), role);
}

TensorIndex OperatorBuilder::product(TensorIndex x, TensorIndex y, std::string_view role) {
    const std::size_t most = std::max(rank(x), rank(y));
    x = with_rank(x, most);
    y = with_rank(y, most);
    const DType result = is_floating_point(type(x)) ? type(x) : DType::kI32;
    return b_.add(OpCode::kMul, NoAttributes{}, {x, y, number(DType::kI8, 1, 0)}, result,
                  joint(shape(x), shape(y)), role);
}

TensorIndex OperatorBuilder::test(OpCode op, TensorIndex x, TensorIndex y, std::string_view role) {
    return b_.add(op, NoAttributes{}, {x, y}, DType::kBool, joint(shape(x), shape(y)), role);
}

TensorIndex OperatorBuilder::select(TensorIndex condition, TensorIndex x, TensorIndex y,
                                    std::string_view role) {
    const Shape result = joint(shape(condition), joint(shape(x), shape(y)));
    return b_.add(OpCode::kSelect, NoAttributes{}, {condition, x, y}, type(x), result, role);
}

TensorIndex OperatorBuilder::cast(TensorIndex x, DType to, std::string_view role) {
    if (type(x) == to) return x;
    return b_.add(OpCode::kCast, NoAttributes{}, {x}, to, shape(x), role);
}

TensorIndex OperatorBuilder::clamp(TensorIndex x, double low, double high, std::string_view role) {
    const ClampAttributes limits{element_bytes(type(x), low), element_bytes(type(x), high),
                                 NanPropagationMode::kPropagate};
    return b_.add(OpCode::kClamp, limits, {x}, type(x), shape(x), role);
}

TensorIndex OperatorBuilder::rescale(TensorIndex x, DType to, std::int32_t multiplier, int shift,
                                     std::string_view role) {
    RescaleAttributes attributes;
    attributes.scale32 = true;
    attributes.rounding_mode = RoundingMode::kSingleRound;
    return b_.add(OpCode::kRescale, attributes,
                  {x, number(DType::kI32, 1, multiplier), number(DType::kI8, 1, shift),
                   number(type(x), 1, 0), number(to, 1, 0)},
                  to, shape(x), role);
}

TensorIndex OperatorBuilder::reduce_sum(TensorIndex x, std::size_t axis, std::string_view role) {
    Shape result = shape(x);
    result[axis] = 1;
    return b_.add(OpCode::kReduceSum, ReduceSumAttributes{static_cast<std::int32_t>(axis)}, {x},
                  type(x), result, role);
}

TensorIndex OperatorBuilder::reduce_max(TensorIndex x, std::size_t axis, std::string_view role) {
    Shape result = shape(x);
    result[axis] = 1;
    const ReduceMaxAttributes attributes{static_cast<std::int32_t>(axis),
                                         NanPropagationMode::kPropagate};
    return b_.add(OpCode::kReduceMax, attributes, {x}, type(x), result, role);
}

TensorIndex OperatorBuilder::number(DType type, std::size_t rank, double value) {
    const auto key = std::tuple(type, rank, value);
    const bool is_nan = value != value;  // NaN is unordered
    const auto known = is_nan ? numbers_.end() : numbers_.find(key);
    if (known != numbers_.end()) return known->second;
    const Shape ones(rank, 1);
    const TensorIndex result =
        is_floating_point(type)
            ? b_.real_constant(type, ones, value, "number")
            : b_.constant(type, ones, {static_cast<std::int64_t>(value)}, "number");
    if (!is_nan) numbers_.emplace(key, result);
    return result;
}

}  // namespace okksim::sim::graph
