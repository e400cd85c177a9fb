// SPDX-License-Identifier: Apache-2.0
#include "sim/graph/mlir/mlir_text_out.h"

#include "sim/graph/mlir/mlir_fields.h"

namespace okksim::sim::graph {

namespace {

constexpr std::string_view kHexDigits = "0123456789ABCDEF";

}  // namespace

std::string hex_byte(std::uint8_t byte) { return {kHexDigits[byte >> 4], kHexDigits[byte & 15]}; }

std::string quoted_text(std::string_view bytes) {
    std::string text = "\"";
    for (const char c : bytes) {
        if (c >= ' ' && c < '\x7f' && c != '"' && c != '\\') {
            text += c;
        } else {
            text += "\\" + hex_byte(static_cast<std::uint8_t>(c));
        }
    }
    return text + "\"";
}

std::string type_text(DType type, const Shape& shape, bool is_unsigned) {
    if (type == DType::kShape) {
        return "!tosa.shape<" + std::to_string(shape.empty() ? 0 : shape[0]) + ">";
    }
    std::string text = "tensor<";
    for (const std::int64_t dimension : shape) text += std::to_string(dimension) + "x";
    return text + (is_unsigned ? "u" : "") + std::string(element_word(type)) + ">";
}
std::string type_text(const Tensor& tensor) {
    return type_text(tensor.type, tensor.shape, tensor.is_unsigned);
}

}  // namespace okksim::sim::graph
