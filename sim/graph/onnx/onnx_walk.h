// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <deque>
#include <map>
#include <memory>
#include <string>
#include <unordered_map>
#include <unordered_set>
#include <vector>

#include "sim/graph/graph_errors.h"
#include "sim/graph/onnx/onnx_call.h"
#include "sim/graph/onnx/onnx_quantised_islands.h"
#include "sim/graph/onnx/onnx_use_counts.h"

namespace okksim::sim::graph::onnx {

/// The names of a graph of the file. Inner graphs see the values of outer ones.
struct Scope {
    const Scope* outer = nullptr;
    std::unordered_map<std::string_view, Value*> values;
    /// Operator sets and attributes that apply: those of the model, or of a function.
    const OpsetVersions* opsets = nullptr;
    const NodeProto* call = nullptr;  ///< the node that calls the function
    const FunctionProto* function = nullptr;
    const Scope* caller = nullptr;  ///< the scope of that node
};

/// A block of the graph under way, with the values of outer blocks that it captures.
struct Frame {
    explicit Frame(BlockBuilder& builder) : block(builder), ops(builder) {}

    BlockBuilder& block;
    OperatorBuilder ops;
    ValueTensors tensors{ops};
    std::unordered_map<const Value*, Value*> captured;
};

/// Walks through the nodes of a model in dependency order. Nodes whose operands are known are
/// computed on the host; all others become operators of TOSA.
class Walk : public Context {
 public:
    Walk(const GraphSource& source, const ReadOptions& options, const Model& model, Graph& graph,
         BlockBuilder& block);

    /// Lowers the graph of the model with its inputs and outputs. GraphFileError lists everything
    /// that is not supported.
    void run();

    const GraphSource& source() const override { return source_; }
    ValueTensors& tensors() override { return frames_.back()->tensors; }
    OperatorBuilder& ops() { return frames_.back()->ops; }
    const Scope& scope() const { return *scope_; }

    /// Adds a value of the current scope. Graphs assign each name once.
    Value& declare(Scope& scope, std::string_view name);
    /// Returns the value of a name in the scope or around it; nullptr if there is none.
    Value* find(const Scope& scope, std::string_view name) const;
    Value& temporary() override;

    /// Lowers all nodes of an inner graph within the current block: `inputs` become the values of
    /// its inputs. Returns the values of its outputs.
    std::vector<Value*> inline_graph(const NodeProto& node, const GraphProto& graph,
                                     const std::vector<Value*>& inputs);

    /// Lowers an inner graph to a separate block, which may use values around it. The block's
    /// inputs and outputs are tensors in the file's order. Fills `outputs` with the values.
    BlockReference lower_block(const NodeProto& node, const GraphProto& graph,
                               const std::vector<Value*>& inputs, std::vector<Value*>& outputs);
    /// Starts a block in a separate region, and continues the enclosing block.
    BlockReference begin_block(const std::string& name);
    void end_block();
    /// Adds an input of the current block.
    Value& add_block_input(ElementType type, const Shape& shape, std::string_view name);
    /// Adds an output of the current block.
    void add_block_output(Value& value);
    /// Returns a value of an outer block as a value of the current one.
    Value* local(Value* value);

    const AttributeProto* resolved(const AttributeProto& attribute) const override;
    HostArray value_of(const TensorProto& tensor, const std::string& place) const override;

    const ConvolutionNode* convolution_of(const Value& value) const override;
    std::string origin(const NodeProto& node) const override;
    /// Adds a note for the user, once.
    void note(const std::string& text);
    /// Records a part that is not supported.
    void note_unread(const NodeProto& node, const std::string& what, bool is_type);

 private:
    void add_inputs(Scope& scope);
    void add_input(Value& value, bool is_wanted);
    void add_empty(const Value& value, bool is_input);
    void take_value(Value& value);
    std::unordered_set<std::string_view> wanted_inputs() const;
    void add_initializers(Scope& scope, const GraphProto& graph);
    void lower_nodes(Scope& scope, const std::vector<NodeProto>& nodes);
    void lower_node(Scope& scope, const NodeProto& node, std::uint32_t index);
    /// Lowers a node whose results are declared.
    void lower_declared(Scope& scope, const NodeProto& node, std::uint32_t index);
    /// Lowers the island that ends with the node to an integer product, or its inner nodes one by
    /// one. Returns false if the node itself remains.
    bool lower_island(Scope& scope, const NodeProto& node, std::uint32_t index,
                      const std::vector<Value*>& outputs);
    void lower_call(Scope& scope, const NodeProto& node, const std::vector<Value*>& inputs,
                    const std::vector<Value*>& outputs);
    void inline_function(const FunctionProto& function, Scope& scope, const NodeProto& node,
                         const std::vector<Value*>& inputs, const std::vector<Value*>& outputs);
    void finish(const Call& call);
    void note_convolution(const Scope& scope, const Call& call);
    void add_outputs(Scope& scope);
    TensorIndex output_tensor(Value& value, std::string_view name);
    Value* captured(Value* value, std::size_t frame);
    void report_unread() const;
    const FunctionProto* find_function(const NodeProto& node) const;
    std::int64_t opset_of(const Scope& scope, const NodeProto& node) const;
    std::string place(const NodeProto& node) const;
    [[noreturn]] void fail(const std::string& place, const std::string& message) const;

    const GraphSource& source_;
    const ReadOptions& options_;
    const Model& model_;
    const QuantisedIslands islands_;
    const UseCounts uses_;
    std::unordered_map<const Value*, ConvolutionNode> convolutions_;
    Graph& graph_;
    std::vector<std::unique_ptr<BlockBuilder>> inner_blocks_;
    std::vector<std::unique_ptr<Frame>> frames_;
    std::deque<Value> values_;
    const Scope* scope_ = nullptr;
    std::uint32_t next_index_ = 0;
    int depth_ = 0;
    UnreadParts unread_;
    std::unordered_set<std::string> notes_;
    std::unordered_set<TensorIndex> is_end_;  ///< inputs and outputs of the graph
};

}  // namespace okksim::sim::graph::onnx
