// SPDX-License-Identifier: Apache-2.0
#include "sim/graph/builder.h"

#include <cstring>

#include "isa/base/errors.h"
#include "sim/graph/captures.h"
#include "sim/graph/element.h"
#include "sim/graph/schedule.h"

namespace okksim::sim::graph {

GraphBuilder::GraphBuilder() {
    graph_.regions.push_back({"main", {}});
    begin_block("main");
}

Block& GraphBuilder::block() { return graph_.regions[current_.region].blocks[current_.block]; }

BlockReference GraphBuilder::begin_block(const std::string& name) {
    auto& blocks = graph_.regions.front().blocks;
    current_ = {0, static_cast<std::uint32_t>(blocks.size())};
    blocks.emplace_back();
    blocks.back().name = name;
    return current_;
}

void GraphBuilder::select_block(BlockReference block) { current_ = block; }

TensorIndex GraphBuilder::tensor(DType type, Shape shape, const std::string& name) {
    Tensor tensor;
    tensor.name = graph_.own_text(name.empty() ? "t" + std::to_string(next_name_++) : name);
    tensor.type = type;
    tensor.shape = std::move(shape);
    block().tensors.push_back(std::move(tensor));
    return static_cast<TensorIndex>(block().tensors.size() - 1);
}

TensorIndex GraphBuilder::input(DType type, Shape shape, const std::string& name) {
    const TensorIndex index = tensor(type, std::move(shape), name);
    block().inputs.push_back(index);
    return index;
}

TensorIndex GraphBuilder::constant_bytes(DType type, Shape shape, std::vector<std::byte> bytes) {
    const TensorIndex index = tensor(type, std::move(shape));
    Tensor& added = block().tensors[index];
    added.data = graph_.own_bytes(std::move(bytes));
    added.has_data = true;
    const OpCode op = type == DType::kShape ? OpCode::kConstShape : OpCode::kConst;
    add_with_outputs(op, NoAttributes{}, {}, {index});
    return index;
}

TensorIndex GraphBuilder::constant(DType type, Shape shape,
                                   const std::vector<std::int64_t>& values) {
    return constant_bytes(type, std::move(shape), pack_integers(type, values));
}

TensorIndex GraphBuilder::constant(Shape shape, const std::vector<float>& values) {
    std::vector<std::byte> bytes(values.size() * sizeof(float));
    std::memcpy(bytes.data(), values.data(), bytes.size());
    return constant_bytes(DType::kFp32, std::move(shape), std::move(bytes));
}

TensorIndex GraphBuilder::shape_value(const std::vector<std::int64_t>& values) {
    return constant(DType::kShape, {static_cast<std::int64_t>(values.size())}, values);
}

TensorIndex GraphBuilder::add(OpCode op, Attributes attributes, std::vector<TensorIndex> inputs,
                              DType type, Shape shape) {
    const TensorIndex result = tensor(type, std::move(shape));
    add_with_outputs(op, std::move(attributes), std::move(inputs), {result});
    return result;
}

void GraphBuilder::add_with_outputs(OpCode op, Attributes attributes,
                                    std::vector<TensorIndex> inputs,
                                    std::vector<TensorIndex> outputs) {
    Operator added;
    added.op = op;
    added.attributes = std::move(attributes);
    added.inputs = std::move(inputs);
    added.outputs = std::move(outputs);
    added.index = static_cast<std::uint32_t>(block().operators.size());
    block().operators.push_back(std::move(added));
}

TensorIndex GraphBuilder::capture(const std::string& name) {
    const TensorIndex index = tensor(DType::kUnknown, {}, name);
    block().tensors[index].is_capture = true;
    block().captures.push_back(index);
    return index;
}

std::uint32_t GraphBuilder::variable(const std::string& name, DType type, Shape shape,
                                     std::vector<std::byte> initial_value) {
    const auto index = static_cast<std::uint32_t>(graph_.variables.size());
    graph_.variables.push_back(
        {name, name, type, shape, graph_.own_bytes(std::move(initial_value))});
    block().tensors[tensor(type, std::move(shape), name)].variable = index;
    return index;
}

void GraphBuilder::output(TensorIndex index) { block().outputs.push_back(index); }

Graph GraphBuilder::finish() {
    Graph graph = std::move(graph_);
    bind_captures(graph);
    schedule_graph(graph);
    return graph;
}

}  // namespace okksim::sim::graph
