// SPDX-License-Identifier: Apache-2.0
#include "tests/sim/graph/onnx_writer.h"

#include <cstring>

namespace okksim::tests::onnx {

namespace {

Message varint(std::uint64_t value) {
    Message bytes;
    for (; value > 127; value >>= 7) bytes += static_cast<char>((value & 127) | 128);
    return bytes + static_cast<char>(value);
}

Message shape_fields(const Shape& shape) {
    Message bytes;
    for (const std::int64_t size : shape) bytes += integer_field(1, size);
    return bytes;
}

Message little_endian(const std::vector<std::int64_t>& values, int bytes) {
    Message result;
    for (const std::int64_t value : values) {
        for (int i = 0; i < bytes; ++i) result += static_cast<char>(value >> (8 * i));
    }
    return result;
}

}  // namespace

Message integer_field(int number, std::int64_t value) {
    return varint(static_cast<std::uint64_t>(number) << 3) +
           varint(static_cast<std::uint64_t>(value));
}

Message real_field(int number, float value) {
    Message bytes(sizeof value, '\0');
    std::memcpy(bytes.data(), &value, sizeof value);
    return varint(static_cast<std::uint64_t>(number) << 3 | 5) + bytes;
}

Message bytes_field(int number, std::string_view bytes) {
    return varint(static_cast<std::uint64_t>(number) << 3 | 2) + varint(bytes.size()) +
           Message(bytes);
}

Message tensor(std::string_view name, const Shape& shape, const std::vector<float>& values) {
    Message bytes(values.size() * sizeof(float), '\0');
    if (!bytes.empty()) std::memcpy(bytes.data(), values.data(), bytes.size());
    return shape_fields(shape) + integer_field(2, kFloat) + bytes_field(8, name) +
           bytes_field(9, bytes);
}

Message tensor(std::string_view name, const Shape& shape, const std::vector<std::int64_t>& values) {
    return tensor(name, kInt64, 8, shape, values);
}

Message tensor(std::string_view name, Type type, int bytes, const Shape& shape,
               const std::vector<std::int64_t>& values) {
    return shape_fields(shape) + integer_field(2, type) + bytes_field(8, name) +
           bytes_field(9, little_endian(values, bytes));
}

Message attribute(std::string_view name, std::int64_t value) {
    return bytes_field(1, name) + integer_field(3, value) + integer_field(20, 2);
}

Message attribute(std::string_view name, double value) {
    return bytes_field(1, name) + real_field(2, static_cast<float>(value)) + integer_field(20, 1);
}

Message attribute(std::string_view name, std::string_view text) {
    return bytes_field(1, name) + bytes_field(4, text) + integer_field(20, 3);
}

Message attribute(std::string_view name, const std::vector<std::int64_t>& values) {
    Message bytes = bytes_field(1, name);
    for (const std::int64_t value : values) bytes += integer_field(8, value);
    return bytes + integer_field(20, 7);
}

Message attribute(std::string_view name, const std::vector<float>& values) {
    Message bytes = bytes_field(1, name);
    for (const float value : values) bytes += real_field(7, value);
    return bytes + integer_field(20, 6);
}

Message attribute(std::string_view name, const std::vector<std::string>& texts) {
    Message bytes = bytes_field(1, name);
    for (const std::string& text : texts) bytes += bytes_field(9, text);
    return bytes + integer_field(20, 8);
}

Message tensor_attribute(std::string_view name, const Message& tensor) {
    return bytes_field(1, name) + bytes_field(5, tensor) + integer_field(20, 4);
}

Message graph_attribute(std::string_view name, const Message& graph) {
    return bytes_field(1, name) + bytes_field(6, graph) + integer_field(20, 5);
}

Message reference_attribute(std::string_view name, std::string_view of, int type) {
    return bytes_field(1, name) + bytes_field(21, of) + integer_field(20, type);
}

Message node(std::string_view op, const std::vector<std::string>& inputs,
             const std::vector<std::string>& outputs, const std::vector<Message>& attributes,
             std::string_view domain) {
    Message bytes;
    for (const std::string& input : inputs) bytes += bytes_field(1, input);
    for (const std::string& output : outputs) bytes += bytes_field(2, output);
    bytes += bytes_field(4, op);
    for (const Message& attribute : attributes) bytes += bytes_field(5, attribute);
    if (!domain.empty()) bytes += bytes_field(7, domain);
    return bytes;
}

Message value(std::string_view name, Type type, const Shape& shape,
              const std::vector<std::string>& names) {
    Message dimensions;
    for (std::size_t i = 0; i < shape.size(); ++i) {
        Message dimension;
        if (shape[i] >= 0) dimension = integer_field(1, shape[i]);
        if (shape[i] < 0 && i < names.size()) dimension = bytes_field(2, names[i]);
        dimensions += bytes_field(1, dimension);
    }
    const Message tensor_type = integer_field(1, type) + bytes_field(2, dimensions);
    return bytes_field(1, name) + bytes_field(2, bytes_field(1, tensor_type));
}

Message opset_field(int number, std::string_view domain, std::int64_t version) {
    return bytes_field(number, bytes_field(1, domain) + integer_field(2, version));
}

std::string model(const GraphMessage& graph, std::int64_t opset, const Message& more,
                  std::int64_t ir_version) {
    return integer_field(1, ir_version) + bytes_field(7, graph.bytes()) +
           opset_field(8, "", opset) + more;
}

}  // namespace okksim::tests::onnx
