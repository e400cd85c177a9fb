// SPDX-License-Identifier: Apache-2.0
#include "sim/graph/onnx/onnx_edges.h"

#include <string>

#include "sim/graph/unread_parts.h"

namespace okksim::sim::graph::onnx {

namespace {

FileWords words_of(ElementType type) {
    switch (type) {
        case ElementType::kInt64: return FileWords::kInt64;
        case ElementType::kUint64: return FileWords::kUint64;
        case ElementType::kFloat64: return FileWords::kFloat64;
        default: return FileWords::kNone;
    }
}

/// Converts between signed and unsigned elements; values keep their meaning.
TensorIndex rescaled(OperatorBuilder& ops, TensorIndex x, bool input_unsigned,
                     std::int64_t input_zero, DType to, bool output_unsigned,
                     std::int64_t output_zero) {
    RescaleAttributes attributes;
    attributes.scale32 = true;
    attributes.rounding_mode = RoundingMode::kSingleRound;
    attributes.input_unsigned = input_unsigned;
    attributes.output_unsigned = output_unsigned;
    constexpr std::int32_t kOne = 1 << 30;  // with a shift of 30
    BlockBuilder& block = ops.block();
    const TensorIndex input_zp = block.constant(ops.type(x), {1}, {input_zero}, "input_zp");
    const TensorIndex output_zp = block.constant(to, {1}, {output_zero}, "output_zp");
    return block.add(
        OpCode::kRescale, attributes,
        {x, ops.number(DType::kI32, 1, kOne), ops.number(DType::kI8, 1, 30), input_zp, output_zp},
        to, ops.shape(x), "elements");
}

// RESCALE converts unsigned 16-bit elements only to signed ones of 16 bits.
constexpr std::int64_t kHalf16 = 32768;

TensorIndex shifted(OperatorBuilder& ops, TensorIndex x, OpCode op) {
    return ops.binary(op, x, ops.number(DType::kI32, ops.rank(x), double{kHalf16}), "shifted");
}

TensorIndex low_words(OperatorBuilder& ops, TensorIndex x) {
    Shape size = ops.shape(x);
    const Shape start(size.size(), 0);
    size.back() = 1;
    const TensorIndex low = ops.slice(x, start, size, "low");
    size.pop_back();
    return ops.reshape_step(low, size, "words");
}

TensorIndex word_pairs(OperatorBuilder& ops, TensorIndex x, bool is_unsigned) {
    Shape shape = ops.shape(x);
    shape.push_back(1);
    const TensorIndex low = ops.reshape_step(x, shape, "low");
    const DType type = DType::kI32;
    const double shift = is_unsigned ? 0 : 31;
    const TensorIndex sign = is_unsigned
                                 ? ops.product(low, ops.number(type, shape.size(), 0), "high")
                                 : ops.binary(OpCode::kArithmeticRightShift, low,
                                              ops.number(type, shape.size(), shift), "high");
    return ops.concat({low, sign}, shape.size() - 1, "pairs");
}

[[noreturn]] void refuse(ElementType type) {
    throw UnsupportedPart("elements of " + std::string(element_name(type)), true);
}

}  // namespace

Tensor file_tensor(ElementType type, const Shape& shape) {
    Tensor tensor;
    tensor.words = words_of(type);
    tensor.is_unsigned = type == ElementType::kUint8 || type == ElementType::kUint16;
    Shape elements = shape;
    tensor.type = device_type(type);
    if (type == ElementType::kUint16) tensor.type = DType::kI16;
    if (tensor.words != FileWords::kNone) {
        tensor.type = DType::kI32;
        elements.push_back(2);
    }
    if (tensor.type == DType::kUnknown || type == ElementType::kUint32 ||
        type == ElementType::kUint4 || type == ElementType::kInt4) {
        refuse(type);
    }
    tensor.shape = TensorShape(SharedValue<Shape>(elements));
    return tensor;
}

TensorIndex from_file(OperatorBuilder& ops, ElementType type, TensorIndex x) {
    switch (type) {
        case ElementType::kUint8: return rescaled(ops, x, true, -128, DType::kI8, false, 0);
        case ElementType::kUint16: {
            const TensorIndex half = rescaled(ops, x, true, kHalf16, DType::kI16, false, 0);
            return shifted(ops, ops.cast(half, DType::kI32, "wide"), OpCode::kAdd);
        }
        case ElementType::kInt64:
        case ElementType::kUint64: return low_words(ops, x);
        case ElementType::kFloat64: refuse(type);
        default: return x;
    }
}

TensorIndex to_file(OperatorBuilder& ops, ElementType type, TensorIndex x) {
    switch (type) {
        case ElementType::kUint8: return rescaled(ops, x, false, 0, DType::kI8, true, -128);
        case ElementType::kUint16: {
            const TensorIndex half = shifted(ops, x, OpCode::kSub);
            return rescaled(ops, ops.cast(half, DType::kI16, "narrow"), false, 0, DType::kI16, true,
                            kHalf16);
        }
        case ElementType::kInt64: return word_pairs(ops, x, false);
        case ElementType::kUint64: return word_pairs(ops, x, true);
        default: return x;
    }
}

}  // namespace okksim::sim::graph::onnx
