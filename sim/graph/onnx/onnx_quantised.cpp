// SPDX-License-Identifier: Apache-2.0
// Conversions between real and quantised numbers.
#include "sim/graph/onnx/onnx_quantised.h"

#include <algorithm>
#include <numeric>

#include "sim/graph/compose/float_functions.h"
#include "sim/graph/compose/reductions.h"
#include "sim/graph/onnx/onnx_elements.h"
#include "sim/graph/onnx/onnx_operators.h"
#include "sim/graph/onnx/onnx_quantisation.h"
#include "sim/graph/onnx/onnx_window_attributes.h"

namespace okksim::sim::graph::onnx {

ParameterPlace parameter_place(const Call& call, const Value& x, const Quantisation& q) {
    ParameterPlace place{x.shape, 0, 0, false};
    const Value& scale = *q.scale;
    const std::int64_t block = call.integer("block_size", 0);
    call.require(block >= 0, "block_size", std::to_string(block), "the size is 0 or more");
    const std::string name(scale.name);
    if (const Value* zero = q.zero_point) {
        call.require(element_count(zero->shape) == element_count(scale.shape),
                     std::string(zero->name), shape_text(zero->shape),
                     "the zero point has the shape of the scale " + shape_text(scale.shape));
    }
    if (block == 0 && element_count(scale.shape).value_or(1) == 1) return place;
    place.axis = call.axis(call.integer("axis", 1), x.rank());
    const std::int64_t size = x.shape[place.axis];
    if (block == 0) {
        call.require(scale.shape == Shape{size}, name, shape_text(scale.shape),
                     "the scale has one element or one per index of axis " +
                         std::to_string(place.axis) + ", here " + std::to_string(size));
        return place;
    }
    place.block = block;
    Shape wanted = x.shape;
    wanted[place.axis] = (size + block - 1) / block;
    call.require(scale.shape == wanted, name, shape_text(scale.shape),
                 "the scale of blocks has the shape " + shape_text(wanted));
    return place;
}

namespace {

bool is_small_float(ElementType type) {
    return type == ElementType::kFloat8E4M3Fn || type == ElementType::kFloat8E5M2;
}

/// The type of the numbers that QuantizeLinear gives.
ElementType quantised_type(const Call& call) {
    const std::int64_t number = call.integer("output_dtype", 0);
    const ElementType named = element_type(number);
    const Value* zero = call.optional_input(2);
    if (zero != nullptr) {
        call.require(number == 0 || named == zero->type, "output_dtype", std::to_string(number),
                     "the zero point has this type");
        return zero->type;
    }
    call.require(number == 0 || named != ElementType::kUndefined, "output_dtype",
                 std::to_string(number), "the number is that of an element type");
    return number == 0 ? ElementType::kUint8 : named;
}

/// Refuses numbers that QuantizeLinear and DequantizeLinear do not have.
void check_number_type(const Call& call, ElementType type, bool may_be_i32) {
    const bool is_wide = type == ElementType::kInt32 && may_be_i32;
    const bool is_float8 = is_real(type) && integer_bits(type) == 0 && !is_small_float(type) &&
                           device_type(type) == DType::kUnknown && type != ElementType::kFloat64;
    if (is_float8) throw UnsupportedPart("elements of " + std::string(element_name(type)), true);
    call.require(is_quantised_type(type) || is_small_float(type) || is_wide, "quantised type",
                 std::string(element_name(type)),
                 "the numbers are integers of 4, 8 or 16 bits, or 8-bit real numbers");
}

/// The order of an operand: blocks of run-time scales need the file's order.
Aligned quantised_order(const Call& call, const ParameterPlace& place) {
    if (place.block == 0) return call.aligned(0);
    return {false, place.shape.size(), {call.tensor(0)}};
}

TensorIndex quantised_small_float(const Call& call, TensorIndex real, const Quantisation& q,
                                  const ParameterPlace& place) {
    OperatorBuilder& ops = call.ops();
    TensorIndex result = compose::divide(ops, real, scale_tensor(call, q, place));
    if (call.integer("saturate", 1) != 0) {
        const double most = q.type == ElementType::kFloat8E4M3Fn ? 448 : 57344;
        result = ops.clamp(result, -most, most, "limited");
    }
    return ops.cast(result, device_type(q.type), "quantised");
}

}  // namespace

namespace lower {

void quantize_linear(const Call& call) {
    call.require_inputs(2, 3);
    const Value& x = call.input(0);
    call.require(is_real(x.type) || x.type == ElementType::kInt32, "input 0",
                 std::string(element_name(x.type)), "the operand has real numbers or int32");
    const Quantisation q = quantisation(call, quantised_type(call), 1, 2);
    check_number_type(call, q.type, false);
    ParameterPlace place = parameter_place(call, x, q);
    const Aligned order = quantised_order(call, place);
    place.is_channels_last = order.is_channels_last;
    const TensorIndex real = call.ops().cast(order.tensors[0], DType::kFp32, "real");
    const TensorIndex result = is_small_float(q.type) ? quantised_small_float(call, real, q, place)
                                                      : quantised(call, real, q, place);
    call.set_aligned(0, q.type, x.shape, order, result);
}

void dequantize_linear(const Call& call) {
    call.require_inputs(2, 3);
    const Value& x = call.input(0);
    check_number_type(call, x.type, true);
    const Quantisation q = quantisation(call, x.type, 1, 2);
    ParameterPlace place = parameter_place(call, x, q);
    const Aligned order = quantised_order(call, place);
    place.is_channels_last = order.is_channels_last;
    const ElementType type = q.scale->type;
    const TensorIndex real = dequantised(call, order.tensors[0], q, place);
    call.set_aligned(0, type, x.shape, order,
                     onnx::cast(call.ops(), ElementType::kFloat32, type, real));
}

void dynamic_quantize_linear(const Call& call) {
    call.require_inputs(1, 1);
    const Value& x = call.input(0);
    call.require(x.type == ElementType::kFloat32, "input 0", std::string(element_name(x.type)),
                 "the operand is float");
    const Aligned order = call.aligned(0);
    const DynamicQuantisation q = dynamically_quantised(call.ops(), order.tensors[0]);
    call.set_aligned(0, ElementType::kUint8, x.shape, order, q.held);
    call.set_tensor(1, ElementType::kFloat32, {}, q.scale);
    call.set_tensor(2, ElementType::kUint8, {},
                    call.ops().cast(q.held_zero_point, DType::kI8, "zero_point"));
}

}  // namespace lower

DynamicQuantisation dynamically_quantised(OperatorBuilder& ops, TensorIndex x) {
    std::vector<std::size_t> axes(ops.rank(x));
    std::iota(axes.begin(), axes.end(), 0);
    const TensorIndex zero = ops.number(DType::kFp32, 0, 0);
    const TensorIndex high =
        ops.binary(OpCode::kMaximum, compose::reduce(ops, compose::Reduction::kMax, x, axes, false),
                   zero, "high");
    const TensorIndex low =
        ops.binary(OpCode::kMinimum, compose::reduce(ops, compose::Reduction::kMin, x, axes, false),
                   zero, "low");
    const TensorIndex extent = ops.binary(OpCode::kSub, high, low, "extent");
    const TensorIndex steps = compose::divide(ops, extent, 255.0);
    const TensorIndex one = ops.number(DType::kFp32, 0, 1);
    DynamicQuantisation result;
    result.scale =
        ops.select(ops.test(OpCode::kEqual, extent, zero, "is_zero"), one, steps, "scale");
    // The zero point is round(-low / scale), at most 255; held numbers are 128 less.
    const TensorIndex position = compose::divide(ops, compose::negative(ops, low), result.scale);
    const TensorIndex zero_point =
        ops.cast(ops.clamp(position, 0, 255, "limited"), DType::kI32, "zero_point");
    result.held_zero_point =
        ops.binary(OpCode::kSub, zero_point, ops.number(DType::kI32, 0, 128), "held_zero");
    constexpr double kMost = 1 << 20;
    const TensorIndex whole =
        ops.cast(ops.clamp(compose::divide(ops, x, result.scale), -kMost, kMost, "limited_steps"),
                 DType::kI32, "whole");
    TensorIndex moved = ops.binary(OpCode::kAdd, whole, result.held_zero_point, "moved");
    const std::size_t rank = ops.rank(moved);
    moved = ops.binary(OpCode::kMaximum, moved, ops.number(DType::kI32, rank, -128), "from_low");
    moved = ops.binary(OpCode::kMinimum, moved, ops.number(DType::kI32, rank, 127), "to_high");
    result.held = ops.cast(moved, DType::kI8, "quantised");
    return result;
}

}  // namespace okksim::sim::graph::onnx
