// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <map>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "sim/graph/graph_format.h"

namespace okksim::sim::graph::onnx {

// The messages of an ONNX file that are used here, unpacked. Texts and weights are views of the
// mapped file. Names follow the public description of the format.

/// A tensor with its values: raw bytes, typed fields, or bytes in another file.
struct TensorProto {
    std::string_view name;
    std::int64_t data_type = 0;
    std::vector<std::int64_t> dims;
    std::optional<std::span<const std::byte>> raw_data;
    std::vector<float> floats;
    std::vector<double> doubles;
    std::vector<std::int64_t> integers;  ///< of int32_data, int64_data and uint64_data
    std::size_t strings = 0;
    bool is_external = false;
    std::map<std::string_view, std::string_view> external;  ///< location, offset, length
};

/// A tensor of which most elements are zero.
struct SparseTensorProto {
    TensorProto values;
    TensorProto indices;
    std::vector<std::int64_t> dims;
};

/// A dimension: a number, a name, or neither.
struct Dimension {
    std::optional<std::int64_t> value;
    std::string_view name;
};

/// A declared value of a graph.
struct ValueInfo {
    std::string_view name;
    bool is_tensor = false;
    std::string_view kind;  ///< of other types: "sequence", "map", "optional", "sparse tensor"
    std::int64_t element_type = 0;
    bool has_shape = false;
    std::vector<Dimension> dims;
};

struct GraphProto;

/// The type numbers of attributes.
enum class AttributeType : std::uint8_t {
    kUndefined = 0,
    kFloat = 1,
    kInt = 2,
    kString = 3,
    kTensor = 4,
    kGraph = 5,
    kFloats = 6,
    kInts = 7,
    kStrings = 8,
    kTensors = 9,
    kGraphs = 10,
    kSparseTensor = 11,
};

/// An attribute of a node.
struct AttributeProto {
    std::string_view name;
    std::string_view reference;  ///< ref_attr_name: the attribute of the enclosing function
    AttributeType type = AttributeType::kUndefined;
    float f = 0;
    std::int64_t i = 0;
    std::string_view s;
    std::unique_ptr<TensorProto> tensor;
    std::unique_ptr<SparseTensorProto> sparse_tensor;
    std::unique_ptr<GraphProto> graph;
    std::vector<float> floats;
    std::vector<std::int64_t> ints;
    std::vector<std::string_view> strings;
};

/// An operator of a graph.
struct NodeProto {
    std::string_view name;
    std::string_view op_type;
    std::string_view domain;  ///< "" also for "ai.onnx"
    std::string_view overload;
    std::vector<std::string_view> inputs;
    std::vector<std::string_view> outputs;
    std::vector<AttributeProto> attributes;
};

struct GraphProto {
    std::string_view name;
    std::vector<NodeProto> nodes;
    std::vector<TensorProto> initializers;
    std::vector<SparseTensorProto> sparse_initializers;
    std::vector<ValueInfo> inputs;
    std::vector<ValueInfo> outputs;
    std::vector<ValueInfo> value_info;
};

/// The versions of the operator sets, by domain ("" for "ai.onnx").
using OpsetVersions = std::map<std::string_view, std::int64_t>;

/// A function of the model, which nodes call by domain and name.
struct FunctionProto {
    std::string_view name;
    std::string_view domain;
    std::string_view overload;
    std::vector<std::string_view> inputs;
    std::vector<std::string_view> outputs;
    std::vector<AttributeProto> defaults;  ///< attributes with default values
    std::vector<NodeProto> nodes;
    OpsetVersions opsets;
};

struct Model {
    std::int64_t ir_version = 0;
    std::string_view producer;
    OpsetVersions opsets;
    GraphProto graph;
    bool has_graph = false;
    std::vector<FunctionProto> functions;
};

/// Unpacks a file that is one tensor, such as a value of a test. Errors are those of read_model().
TensorProto read_tensor_file(const GraphSource& source);

/// Unpacks a file. GraphFileError names the field and the byte of a damaged message. Files that are
/// too deep or have too many parts are errors, too.
Model read_model(const GraphSource& source);

}  // namespace okksim::sim::graph::onnx
