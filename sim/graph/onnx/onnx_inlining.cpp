// SPDX-License-Identifier: Apache-2.0
// Inner graphs and functions whose nodes become part of the current block.
#include "sim/graph/onnx/onnx_walk.h"

namespace okksim::sim::graph::onnx {

namespace {

constexpr int kMostDepth = 64;

}  // namespace

std::vector<Value*> Walk::inline_graph(const NodeProto& node, const GraphProto& graph,
                                       const std::vector<Value*>& inputs) {
    if (++depth_ > kMostDepth) fail(place(node), "graphs are nested too deeply");
    Scope inner;
    inner = *scope_;
    inner.values.clear();
    inner.outer = scope_;
    if (graph.inputs.size() != inputs.size()) {
        illegal(node, "graph inputs", std::to_string(graph.inputs.size()),
                "the inner graph has " + std::to_string(inputs.size()) + " inputs");
    }
    for (std::size_t i = 0; i < inputs.size(); ++i) {
        inner.values.emplace(graph.inputs[i].name, inputs[i]);
    }
    add_initializers(inner, graph);
    lower_nodes(inner, graph.nodes);
    std::vector<Value*> outputs;
    for (const ValueInfo& output : graph.outputs) {
        Value* value = find(inner, output.name);
        if (value == nullptr) {
            illegal(node, "graph output " + std::string(output.name), "undefined",
                    "a node or an input of the inner graph defines it");
        }
        outputs.push_back(local(value));
    }
    --depth_;
    return outputs;
}

void Walk::inline_function(const FunctionProto& function, Scope& scope, const NodeProto& node,
                           const std::vector<Value*>& inputs, const std::vector<Value*>& outputs) {
    if (++depth_ > kMostDepth) {
        fail(place(node), "functions are nested too deeply, or call themselves");
    }
    Scope inner;
    inner.opsets = function.opsets.empty() ? scope.opsets : &function.opsets;
    inner.call = &node;
    inner.function = &function;
    inner.caller = &scope;
    if (inputs.size() > function.inputs.size()) {
        illegal(node, "inputs", std::to_string(inputs.size()),
                "the function has " + std::to_string(function.inputs.size()));
    }
    for (std::size_t i = 0; i < function.inputs.size(); ++i) {
        Value* value = i < inputs.size() ? inputs[i] : nullptr;
        inner.values.emplace(function.inputs[i], value);
    }
    lower_nodes(inner, function.nodes);
    for (std::size_t i = 0; i < outputs.size(); ++i) {
        if (outputs[i] == nullptr) continue;
        Value* value = i < function.outputs.size() ? find(inner, function.outputs[i]) : nullptr;
        if (value == nullptr) {
            illegal(node, "output " + std::string(outputs[i]->name), "undefined",
                    "the function computes each of its outputs");
        }
        if (value->is_unread) throw UnreadOperand();
        if (!value->known && !value->has_order()) tensors().declared(*value);
        const std::string_view name = outputs[i]->name;
        *outputs[i] = *value;
        outputs[i]->name = name;
    }
    --depth_;
}

const AttributeProto* Walk::resolved(const AttributeProto& attribute) const {
    const AttributeProto* at = &attribute;
    const Scope* scope = scope_;
    while (at != nullptr && !at->reference.empty()) {
        while (scope != nullptr && scope->call == nullptr) scope = scope->outer;
        if (scope == nullptr) return nullptr;
        const std::string_view name = at->reference;
        const AttributeProto* found = nullptr;
        for (const AttributeProto& each : scope->call->attributes)
            if (each.name == name) found = &each;
        if (found == nullptr) {
            for (const AttributeProto& each : scope->function->defaults)
                if (each.name == name) found = &each;
        }
        at = found;
        scope = scope->caller;
    }
    return at;
}

}  // namespace okksim::sim::graph::onnx
