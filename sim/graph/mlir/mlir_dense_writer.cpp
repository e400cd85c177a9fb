// SPDX-License-Identifier: Apache-2.0
#include "sim/graph/mlir/mlir_dense_writer.h"

#include <algorithm>
#include <cstring>

#include "sim/graph/element.h"

namespace okksim::sim::graph {

namespace {

/// Number of elements up to which integers are written as numbers.
constexpr std::uint64_t kMostNumbers = 16;
constexpr std::string_view kHexDigits = "0123456789ABCDEF";

/// Returns an integer as text; unsigned types have no sign.
std::string number_text(const ConstantData& data, DType type, bool is_unsigned,
                        std::uint64_t index) {
    const std::int64_t value = integer_element(data, type, index);
    const bool is_above = is_unsigned && value < 0;
    return std::to_string(is_above ? value + (std::int64_t{1} << storage_bits(type)) : value);
}

/// Appends nested lists of the elements, from dimension `axis` on.
void append_numbers(TextOut& text, const Shape& shape, std::size_t axis, std::uint64_t& next,
                    const ConstantData& data, DType type, bool is_unsigned) {
    if (axis == shape.size()) {
        text += number_text(data, type, is_unsigned, next++);
        return;
    }
    text += "[";
    for (std::int64_t i = 0; i < shape[axis]; ++i) {
        if (i > 0) text += ", ";
        append_numbers(text, shape, axis + 1, next, data, type, is_unsigned);
    }
    text += "]";
}

void append_hex(TextOut& text, std::span<const std::byte> data) {
    constexpr std::size_t kPiece = 64 << 10;
    std::string digits;
    text += "\"0x";
    for (std::size_t at = 0; at < data.size(); at += kPiece) {
        digits.clear();
        for (const std::byte byte : data.subspan(at, std::min(kPiece, data.size() - at))) {
            digits += kHexDigits[std::to_integer<std::uint8_t>(byte >> 4)];
            digits += kHexDigits[std::to_integer<std::uint8_t>(byte & std::byte{15})];
        }
        text += digits;
    }
    text += "\"";
}

/// True if all elements are equal.
bool is_one_value(DType type, std::uint64_t count, const ConstantData& data) {
    if (data.repeated() != nullptr) return true;
    const std::span<const std::byte> bytes = data;
    if (type == DType::kI4) {
        for (std::uint64_t i = 1; i < count; ++i) {
            if (integer_element(bytes, type, i) != integer_element(bytes, type, 0)) return false;
        }
        return true;
    }
    const std::size_t each = storage_bytes(type, 1);
    return std::memcmp(bytes.data(), bytes.data() + each, (count - 1) * each) == 0;
}

/// Appends one element: an integer, or a string of its bits.
void append_element(TextOut& text, DType type, bool is_unsigned, const ConstantData& data) {
    if (!is_floating_point(type)) {
        text += number_text(data, type, is_unsigned, 0);
        return;
    }
    const std::span<const std::byte> bytes =
        data.repeated() != nullptr ? data.repeated()->element() : data.bytes();
    append_hex(text, bytes.first(storage_bytes(type, 1)));
}

}  // namespace

void append_dense(TextOut& text, DType type, const Shape& shape, bool is_unsigned,
                  const ConstantData& data) {
    const std::uint64_t count = element_count(shape).value_or(0);
    const bool has_no_bytes = type == DType::kBool || type == DType::kI4 || type == DType::kShape;
    text += "dense<";
    if (count == 0) {
        text += shape.size() == 1 ? "[]" : "";
    } else if (count > kMostNumbers && is_one_value(type, count, data)) {
        append_element(text, type, is_unsigned, data);
    } else if (!is_floating_point(type) && (has_no_bytes || count <= kMostNumbers)) {
        std::uint64_t next = 0;
        append_numbers(text, shape, 0, next, data, type, is_unsigned);
    } else {
        append_hex(text, data.bytes().first(storage_bytes(type, count)));
    }
    // Shape values are written as tensors of index.
    text += "> : ";
    text += type == DType::kShape ? "tensor<" + std::to_string(count) + "xindex>"
                                  : type_text(type, shape, is_unsigned);
}

}  // namespace okksim::sim::graph
