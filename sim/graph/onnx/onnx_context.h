// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "sim/graph/graph_errors.h"
#include "sim/graph/graph_format.h"
#include "sim/graph/onnx/onnx_model.h"
#include "sim/graph/onnx/onnx_value.h"

namespace okksim::sim::graph::onnx {

/// A convolution whose result only one node uses.
struct ConvolutionNode {
    const NodeProto* node = nullptr;
    std::int64_t opset = 0;
    std::vector<Value*> inputs;
};

/// The services of the walk that a node needs.
class Context {
 public:
    virtual ~Context() = default;

    virtual const GraphSource& source() const = 0;
    /// Creates tensors in the current block.
    virtual ValueTensors& tensors() = 0;
    /// Returns a value without a name.
    virtual Value& temporary() = 0;
    /// Returns the attribute of the calling node that a function's attribute refers to.
    virtual const AttributeProto* resolved(const AttributeProto& attribute) const = 0;
    /// Returns the value of a tensor in the file, or in a separate file of the model's folder.
    virtual HostArray value_of(const TensorProto& tensor, const std::string& place) const = 0;
    /// Returns the convolution that computes a value; nullptr if there is none, or if it has other
    /// users.
    virtual const ConvolutionNode* convolution_of(const Value& value) const = 0;
    /// Returns the file, the node and its operator, for messages.
    virtual std::string origin(const NodeProto& node) const = 0;
    [[noreturn]] void illegal(const NodeProto& node, const std::string& argument,
                              const std::string& value, const std::string& rule) const {
        throw_broken_rule(origin(node), argument, value, rule + " (ONNX)");
    }
};

/// Returns a value without a name that is known.
inline Value& known_temporary(Context& context, HostArray array) {
    Value& value = context.temporary();
    value.type = array.type;
    value.shape = array.shape;
    value.known = std::move(array);
    return value;
}

}  // namespace okksim::sim::graph::onnx
