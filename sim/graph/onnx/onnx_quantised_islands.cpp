// SPDX-License-Identifier: Apache-2.0
#include "sim/graph/onnx/onnx_quantised_islands.h"

#include <algorithm>

#include "sim/graph/onnx/onnx_order.h"

namespace okksim::sim::graph::onnx {

namespace {

/// Producers of values, and how often values are used.
class Uses {
 public:
    explicit Uses(const GraphProto& graph) {
        for (const NodeProto& node : graph.nodes) {
            for (const std::string_view name : node.outputs) producers_.emplace(name, &node);
            for_each_used(node, [&](std::string_view name) { ++counts_[name]; });
        }
        for (const ValueInfo& output : graph.outputs) ++counts_[output.name];
    }

    const NodeProto* producer(const NodeProto& node, std::size_t input) const {
        if (input >= node.inputs.size()) return nullptr;
        const auto found = producers_.find(node.inputs[input]);
        return found == producers_.end() ? nullptr : found->second;
    }
    bool is_used_once(const NodeProto& node) const {
        if (node.outputs.size() != 1) return false;
        const auto found = counts_.find(node.outputs[0]);
        return found != counts_.end() && found->second == 1;
    }

 private:
    std::unordered_map<std::string_view, const NodeProto*> producers_;
    std::unordered_map<std::string_view, int> counts_;
};

bool is_standard(const NodeProto* node, std::string_view type) {
    return node != nullptr && node->domain.empty() && node->op_type == type;
}

bool is_quantisation(const NodeProto* node, std::string_view type) {
    return node != nullptr && node->op_type == type &&
           (node->domain.empty() || node->domain == "com.microsoft");
}

bool is_product(const NodeProto* node) {
    return is_standard(node, "Conv") || is_standard(node, "MatMul") || is_standard(node, "Gemm");
}

bool is_limit(const NodeProto* node) {
    return is_standard(node, "Relu") || is_standard(node, "Clip");
}

}  // namespace

QuantisedIslands::QuantisedIslands(const GraphProto& graph) {
    const auto has_islands = [](const NodeProto& node) {
        return is_quantisation(&node, "QuantizeLinear");
    };
    if (std::none_of(graph.nodes.begin(), graph.nodes.end(), has_islands)) return;
    const Uses uses(graph);
    for (const NodeProto& end : graph.nodes) {
        if (!has_islands(end)) continue;
        QuantisedIsland island;
        island.core = uses.producer(end, 0);
        if (is_limit(island.core) && uses.is_used_once(*island.core)) {
            island.limit = island.core;
            island.core = uses.producer(*island.limit, 0);
        }
        if (!is_product(island.core) || !uses.is_used_once(*island.core)) continue;
        island.x = uses.producer(*island.core, 0);
        island.w = uses.producer(*island.core, 1);
        if (!is_quantisation(island.x, "DequantizeLinear")) continue;
        if (!is_quantisation(island.w, "DequantizeLinear")) continue;
        if (island.w != island.x && uses.is_used_once(*island.w)) island.inner.push_back(island.w);
        island.inner.push_back(island.core);
        if (island.limit != nullptr) island.inner.push_back(island.limit);
        inner_.insert(island.inner.begin(), island.inner.end());
        islands_.emplace(&end, std::move(island));
    }
}

const QuantisedIsland* QuantisedIslands::ending_at(const NodeProto& node) const {
    const auto found = islands_.find(&node);
    return found == islands_.end() ? nullptr : &found->second;
}

}  // namespace okksim::sim::graph::onnx
