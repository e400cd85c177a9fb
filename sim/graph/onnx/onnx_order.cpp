// SPDX-License-Identifier: Apache-2.0
#include "sim/graph/onnx/onnx_order.h"

#include <functional>
#include <queue>
#include <unordered_map>
#include <unordered_set>

namespace okksim::sim::graph::onnx {

namespace {

void visit_graph(const GraphProto& graph, const std::function<void(std::string_view)>& visit) {
    std::unordered_set<std::string_view> own;
    for (const ValueInfo& input : graph.inputs) own.insert(input.name);
    for (const TensorProto& tensor : graph.initializers) own.insert(tensor.name);
    for (const SparseTensorProto& tensor : graph.sparse_initializers) {
        own.insert(tensor.values.name);
    }
    for (const NodeProto& node : graph.nodes) own.insert(node.outputs.begin(), node.outputs.end());
    const auto visit_outer = [&](std::string_view name) {
        if (!own.contains(name)) visit(name);
    };
    for (const NodeProto& node : graph.nodes) for_each_used(node, visit_outer);
    for (const ValueInfo& output : graph.outputs) visit_outer(output.name);
}

}  // namespace

void for_each_used(const NodeProto& node, const std::function<void(std::string_view)>& visit) {
    for (const std::string_view name : node.inputs) {
        if (!name.empty()) visit(name);
    }
    for (const AttributeProto& attribute : node.attributes) {
        if (attribute.graph != nullptr) visit_graph(*attribute.graph, visit);
    }
}

std::vector<std::uint32_t> execution_order(const std::vector<NodeProto>& nodes,
                                           const std::function<bool(std::string_view)>& is_known) {
    std::unordered_map<std::string_view, std::uint32_t> producers;
    for (std::uint32_t i = 0; i < nodes.size(); ++i) {
        for (const std::string_view name : nodes[i].outputs) {
            if (!name.empty()) producers.emplace(name, i);
        }
    }
    std::vector<std::uint32_t> missing(nodes.size(), 0);
    std::vector<std::vector<std::uint32_t>> users(nodes.size());
    for (std::uint32_t i = 0; i < nodes.size(); ++i) {
        for_each_used(nodes[i], [&](std::string_view name) {
            if (is_known(name)) return;
            const auto producer = producers.find(name);
            if (producer == producers.end()) throw OrderFault{i, name, false};
            ++missing[i];
            users[producer->second].push_back(i);
        });
    }
    std::priority_queue<std::uint32_t, std::vector<std::uint32_t>, std::greater<>> ready;
    for (std::uint32_t i = 0; i < nodes.size(); ++i) {
        if (missing[i] == 0) ready.push(i);
    }
    std::vector<std::uint32_t> order;
    while (!ready.empty()) {
        const std::uint32_t node = ready.top();
        ready.pop();
        order.push_back(node);
        for (const std::uint32_t user : users[node]) {
            if (--missing[user] == 0) ready.push(user);
        }
    }
    for (std::uint32_t i = 0; i < nodes.size() && order.size() < nodes.size(); ++i) {
        if (missing[i] == 0) continue;
        throw OrderFault{i, nodes[i].outputs.empty() ? std::string_view() : nodes[i].outputs[0],
                         true};
    }
    return order;
}

}  // namespace okksim::sim::graph::onnx
