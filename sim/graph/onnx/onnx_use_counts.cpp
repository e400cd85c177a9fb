// SPDX-License-Identifier: Apache-2.0
#include "sim/graph/onnx/onnx_use_counts.h"

#include "sim/graph/onnx/onnx_order.h"

namespace okksim::sim::graph::onnx {

UseCounts::UseCounts(const GraphProto& graph) {
    for (const NodeProto& node : graph.nodes) {
        for_each_used(node, [this](std::string_view name) { ++counts_[name]; });
    }
    for (const ValueInfo& output : graph.outputs) ++counts_[output.name];
}

}  // namespace okksim::sim::graph::onnx
