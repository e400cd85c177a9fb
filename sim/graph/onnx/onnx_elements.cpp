// SPDX-License-Identifier: Apache-2.0
#include "sim/graph/onnx/onnx_elements.h"

#include <string>

#include "sim/graph/unread_parts.h"

namespace okksim::sim::graph::onnx {

namespace {

/// Keeps the low bits of i32 values that an element type has.
TensorIndex wrapped(OperatorBuilder& ops, ElementType type, TensorIndex x) {
    const int bits = integer_bits(type);
    if (bits >= 32) return x;
    const std::size_t rank = ops.rank(x);
    if (is_unsigned(type)) {
        return ops.binary(OpCode::kBitwiseAnd, x,
                          ops.number(DType::kI32, rank, static_cast<double>((1 << bits) - 1)),
                          "low_bits");
    }
    const TensorIndex shift = ops.number(DType::kI32, rank, 32 - bits);
    return ops.binary(OpCode::kArithmeticRightShift,
                      ops.binary(OpCode::kLogicalLeftShift, x, shift, "shifted"), shift, "signed");
}

/// Rounds toward zero: FLOOR for positive numbers, CEIL for negative ones.
TensorIndex truncated(OperatorBuilder& ops, TensorIndex x) {
    const TensorIndex zero = ops.number(ops.type(x), ops.rank(x), 0);
    return ops.select(ops.test(OpCode::kGreaterEqual, x, zero, "positive"),
                      ops.unary(OpCode::kFloor, x, "floor"), ops.unary(OpCode::kCeil, x, "ceil"),
                      "truncated");
}

TensorIndex real_to_real(OperatorBuilder& ops, TensorIndex x, DType to) {
    const DType from = ops.type(x);
    if (from == to) return x;
    const bool is_direct = from == DType::kFp32 || to == DType::kFp32;
    return is_direct ? ops.cast(x, to, "cast")
                     : ops.cast(ops.cast(x, DType::kFp32, "single"), to, "cast");
}

}  // namespace

TensorIndex widened(OperatorBuilder& ops, ElementType type, TensorIndex x) {
    if (is_real(type) || ops.type(x) == DType::kI32) return x;
    const TensorIndex wide = ops.cast(x, DType::kI32, "wide");
    const std::int64_t offset = device_offset(type);
    if (offset == 0) return wide;
    return ops.binary(OpCode::kAdd, wide,
                      ops.number(DType::kI32, ops.rank(x), static_cast<double>(offset)), "value");
}

TensorIndex narrowed(OperatorBuilder& ops, ElementType type, TensorIndex x) {
    if (is_real(type)) return x;
    x = wrapped(ops, type, x);
    const std::int64_t offset = device_offset(type);
    if (offset != 0) {
        x = ops.binary(OpCode::kSub, x,
                       ops.number(DType::kI32, ops.rank(x), static_cast<double>(offset)), "held");
    }
    return ops.cast(x, device_type(type), "narrow");
}

TensorIndex cast(OperatorBuilder& ops, ElementType from, ElementType to, TensorIndex x) {
    if (from == to) return x;
    const DType device = device_type(to);
    if (device == DType::kUnknown) {
        throw UnsupportedPart("elements of " + std::string(element_name(to)), true);
    }
    if (is_real(from) && is_real(to)) return real_to_real(ops, x, device);
    if (is_real(from)) {
        const TensorIndex single = real_to_real(ops, x, DType::kFp32);
        if (to == ElementType::kBool) {
            const TensorIndex zero = ops.number(DType::kFp32, ops.rank(x), 0);
            return ops.unary(OpCode::kLogicalNot, ops.test(OpCode::kEqual, single, zero, "zero"),
                             "cast");
        }
        return narrowed(ops, to, ops.cast(truncated(ops, single), DType::kI32, "whole"));
    }
    const TensorIndex wide = widened(ops, from, x);
    if (is_real(to)) return real_to_real(ops, ops.cast(wide, DType::kFp32, "real"), device);
    if (to == ElementType::kBool) {
        const TensorIndex zero = ops.number(DType::kI32, ops.rank(x), 0);
        return ops.unary(OpCode::kLogicalNot, ops.test(OpCode::kEqual, wide, zero, "zero"), "cast");
    }
    return narrowed(ops, to, wide);
}

}  // namespace okksim::sim::graph::onnx
