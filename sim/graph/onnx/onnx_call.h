// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "sim/graph/onnx/onnx_context.h"

namespace okksim::sim::graph::onnx {

class Walk;

/// A node under way: its attributes, operands and results. Functions that lower a node take a Call,
/// and set every result that the node names. Faults name the node.
class Call {
 public:
    /// `opset` is the version of the node's operator set.
    Call(Walk& walk, Context& context, const NodeProto& node, std::int64_t opset,
         std::vector<Value*> inputs, std::vector<Value*> outputs);

    /// Returns the walk, for nodes with inner graphs.
    Walk& walk() const { return walk_; }
    Context& context() const { return context_; }
    const NodeProto& node() const { return node_; }
    std::string_view op_type() const { return node_.op_type; }
    std::int64_t opset() const { return opset_; }
    OperatorBuilder& ops() const;
    ValueTensors& tensors() const;

    // Operands. An absent optional operand has an empty name, or the list is shorter.
    std::size_t input_count() const { return inputs_.size(); }
    bool has_input(std::size_t n) const { return n < inputs_.size() && inputs_[n] != nullptr; }
    /// Returns an operand; the node is illegal without it.
    Value& input(std::size_t n) const;
    /// Returns an operand, or nullptr if it is absent.
    Value* optional_input(std::size_t n) const { return has_input(n) ? inputs_[n] : nullptr; }
    const std::vector<Value*>& inputs() const { return inputs_; }
    bool all_known() const;
    /// Refuses other numbers of operands.
    void require_inputs(std::size_t least, std::size_t most) const;

    /// Returns the operand's tensor in the file's order, or with channels last.
    TensorIndex tensor(std::size_t n) const { return tensors().declared(input(n)); }
    TensorIndex channels_last(std::size_t n) const { return tensors().channels_last(input(n)); }
    /// Returns all operands in one dimension order. Operands of lower ranks get leading ones.
    Aligned aligned() const;
    /// Returns one operand in the order that it has.
    Aligned aligned(std::size_t n) const;

    /// Returns a known operand's values. UnsupportedPart if the values are known only at run time:
    /// `role` says what they decide.
    std::vector<std::int64_t> known_integers(std::size_t n, const char* role) const;
    std::vector<double> known_reals(std::size_t n, const char* role) const;
    const HostArray& known(std::size_t n, const char* role) const;
    std::int64_t known_integer(std::size_t n, const char* role) const;

    // Attributes. A wrong type is a fault.
    const AttributeProto* attribute(std::string_view name) const;
    bool has_attribute(std::string_view name) const { return attribute(name) != nullptr; }
    std::int64_t integer(std::string_view name, std::int64_t otherwise) const;
    std::int64_t required_integer(std::string_view name) const;
    double real(std::string_view name, double otherwise) const;
    std::string_view text(std::string_view name, std::string_view otherwise) const;
    std::optional<std::vector<std::int64_t>> integer_list(std::string_view name) const;
    std::optional<std::vector<float>> real_list(std::string_view name) const;
    std::optional<std::vector<std::string_view>> text_list(std::string_view name) const;
    /// Returns a tensor attribute's value.
    std::optional<HostArray> array(std::string_view name) const;
    const GraphProto* graph(std::string_view name) const;

    // Dimensions.
    /// Returns an axis as 0 ... rank - 1; negative axes count from the end.
    std::size_t axis(std::int64_t axis, std::size_t rank) const;
    std::vector<std::size_t> axes(const std::vector<std::int64_t>& axes, std::size_t rank) const;
    /// Returns the shape that broadcasting gives; a fault if the shapes do not match.
    Shape broadcast(const std::vector<Value*>& values) const;

    // Results.
    std::size_t output_count() const { return outputs_.size(); }
    bool has_output(std::size_t n) const { return n < outputs_.size() && outputs_[n] != nullptr; }
    Value& output(std::size_t n) const { return *outputs_[n]; }
    /// Set a result; results that the node does not name are ignored. The shape of a tensor is that
    /// of the file's order.
    void set_known(std::size_t n, HostArray array) const;
    void set_tensor(std::size_t n, ElementType type, Shape shape, TensorIndex tensor) const;
    void set_channels_last(std::size_t n, ElementType type, Shape shape, TensorIndex tensor) const;
    void set_aligned(std::size_t n, ElementType type, Shape shape, const Aligned& order,
                     TensorIndex tensor) const;
    /// Sets a result to a feature map whose pixels have another shape.
    void set_view(std::size_t n, Value& map, Shape shape) const;
    /// Sets a result to an operand.
    void set_same(std::size_t n, Value& value) const;

    // Faults.
    [[noreturn]] void illegal(const std::string& argument, const std::string& value,
                              const std::string& rule) const;
    /// Refuses operands of different element types.
    void require_same_type(const std::vector<Value*>& values) const;
    /// Refuses an operand whose element type is not among `types` (a list for the message).
    void require(bool is_legal, const std::string& argument, const std::string& value,
                 const std::string& rule) const {
        if (!is_legal) illegal(argument, value, rule);
    }

 private:
    const AttributeProto* typed(std::string_view name, AttributeType type, const char* what) const;

    Walk& walk_;
    Context& context_;
    const NodeProto& node_;
    std::int64_t opset_;
    std::vector<Value*> inputs_;
    std::vector<Value*> outputs_;
};

}  // namespace okksim::sim::graph::onnx
