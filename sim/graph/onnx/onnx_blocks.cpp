// SPDX-License-Identifier: Apache-2.0
// Inner graphs that become blocks of control-flow operators.
#include "sim/graph/onnx/onnx_walk.h"

namespace okksim::sim::graph::onnx {

BlockReference Walk::begin_block(const std::string& name) {
    const BlockReference reference{static_cast<std::uint32_t>(graph_.regions.size()), 0};
    graph_.regions.push_back({name, {}});
    graph_.regions.back().blocks.emplace_back();
    Block& block = graph_.regions.back().blocks[0];
    block.name = name;
    inner_blocks_.push_back(std::make_unique<BlockBuilder>(graph_, block));
    frames_.push_back(std::make_unique<Frame>(*inner_blocks_.back()));
    frames_.back()->block.begin_operator({next_index_, name, {}});
    return reference;
}

void Walk::end_block() { frames_.pop_back(); }

Value& Walk::add_block_input(ElementType type, const Shape& shape, std::string_view name) {
    Value& value = temporary();
    value.type = type;
    value.shape = shape;
    value.declared = ops().block().temporary(device_type(type), shape, name);
    ops().block().block().inputs.push_back(*value.declared);
    return value;
}

void Walk::add_block_output(Value& value) {
    // A separate result, because a block's input, capture or constant may be several outputs.
    const TensorIndex tensor = ops().unary(OpCode::kIdentity, tensors().declared(value), "output");
    ops().block().block().outputs.push_back(tensor);
}

Value* Walk::local(Value* value) {
    if (value == nullptr || value->is_unread) return value;
    return captured(value, frames_.size() - 1);
}

Value* Walk::captured(Value* value, std::size_t frame) {
    if (value->frame == frame) return value;
    Value*& known = frames_[frame]->captured[value];
    if (known != nullptr) return known;
    Value& result = values_.emplace_back();
    result.name = value->name;
    result.type = value->type;
    result.shape = value->shape;
    result.frame = frame;
    if (value->known) {
        result.known = value->known;
    } else {
        Value* outside = captured(value, frame - 1);
        Frame& outer = *frames_[frame - 1];
        const TensorIndex from = outer.tensors.declared(*outside);
        const Tensor& tensor = outer.block.tensor(from);
        const TensorIndex index = frames_[frame]->block.find_or_capture(tensor.name);
        Tensor& capture = frames_[frame]->block.block().tensors[index];
        capture.type = tensor.type;
        capture.shape = tensor.shape;
        result.declared = index;
    }
    return frames_[frame]->captured[value] = &result;
}

BlockReference Walk::lower_block(const NodeProto& node, const GraphProto& graph,
                                 const std::vector<Value*>& inputs, std::vector<Value*>& outputs) {
    const BlockReference reference =
        begin_block(std::string(node.name) + "." + std::string(graph.name) + "." +
                    std::to_string(graph_.regions.size()));
    std::vector<Value*> own;
    for (const Value* input : inputs) {
        own.push_back(&add_block_input(input->type, input->shape, "input"));
    }
    outputs = inline_graph(node, graph, own);
    for (Value* value : outputs) {
        if (value->is_unread) {
            end_block();
            throw UnreadOperand();
        }
        add_block_output(*value);
    }
    end_block();
    return reference;
}

}  // namespace okksim::sim::graph::onnx
