// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "sim/graph/graph.h"

/// Writes ONNX files for tests, message by message. The reader's own code is not used.
namespace okksim::tests::onnx {

using sim::graph::Shape;

/// Numbers of element types in the format.
enum Type : std::int64_t {
    kFloat = 1,
    kUint8 = 2,
    kInt8 = 3,
    kUint16 = 4,
    kInt16 = 5,
    kInt32 = 6,
    kInt64 = 7,
    kString = 8,
    kBool = 9,
    kFloat16 = 10,
    kDouble = 11,
    kUint32 = 12,
    kBfloat16 = 16,
    kUint4 = 21,
    kInt4 = 22,
};

/// An encoded message.
using Message = std::string;

// Fields of messages.
Message integer_field(int number, std::int64_t value);
Message real_field(int number, float value);
Message bytes_field(int number, std::string_view bytes);

// Tensors with raw bytes.
Message tensor(std::string_view name, const Shape& shape, const std::vector<float>& values);
Message tensor(std::string_view name, const Shape& shape, const std::vector<std::int64_t>& values);
/// A tensor of an integer type; each value is stored in `bytes` bytes.
Message tensor(std::string_view name, Type type, int bytes, const Shape& shape,
               const std::vector<std::int64_t>& values);

// Attributes.
Message attribute(std::string_view name, std::int64_t value);
Message attribute(std::string_view name, double value);
Message attribute(std::string_view name, std::string_view text);
Message attribute(std::string_view name, const std::vector<std::int64_t>& values);
Message attribute(std::string_view name, const std::vector<float>& values);
Message attribute(std::string_view name, const std::vector<std::string>& texts);
Message tensor_attribute(std::string_view name, const Message& tensor);
Message graph_attribute(std::string_view name, const Message& graph);
/// An attribute of a function's node that refers to an attribute of the function.
Message reference_attribute(std::string_view name, std::string_view of, int type);

Message node(std::string_view op, const std::vector<std::string>& inputs,
             const std::vector<std::string>& outputs, const std::vector<Message>& attributes = {},
             std::string_view domain = "");

/// A declared value. A dimension of -1 has no number, or the name of the same position in `names`.
Message value(std::string_view name, Type type, const Shape& shape,
              const std::vector<std::string>& names = {});

/// A graph under construction.
class GraphMessage {
 public:
    GraphMessage& add(const Message& node) { return field(1, node); }
    GraphMessage& add(std::string_view op, const std::vector<std::string>& inputs,
                      const std::vector<std::string>& outputs,
                      const std::vector<Message>& attributes = {}, std::string_view domain = "") {
        return add(node(op, inputs, outputs, attributes, domain));
    }
    GraphMessage& weight(const Message& tensor) { return field(5, tensor); }
    GraphMessage& weight(std::string_view name, const Shape& shape,
                         const std::vector<float>& values) {
        return weight(tensor(name, shape, values));
    }
    GraphMessage& weight(std::string_view name, const Shape& shape,
                         const std::vector<std::int64_t>& values) {
        return weight(tensor(name, shape, values));
    }
    GraphMessage& input(std::string_view name, const Shape& shape, Type type = kFloat,
                        const std::vector<std::string>& names = {}) {
        return field(11, value(name, type, shape, names));
    }
    GraphMessage& output(std::string_view name, Type type = kFloat) {
        return field(12, value(name, type, {}));
    }
    GraphMessage& field(int number, const Message& bytes) {
        bytes_ += bytes_field(number, bytes);
        return *this;
    }
    const Message& bytes() const { return bytes_; }

 private:
    Message bytes_ = bytes_field(2, "graph");
};

/// Returns the bytes of a file. `more` are further fields of the model, such as functions.
std::string model(const GraphMessage& graph, std::int64_t opset = 17, const Message& more = {},
                  std::int64_t ir_version = 8);
Message opset_field(int number, std::string_view domain, std::int64_t version);

}  // namespace okksim::tests::onnx
