// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <unordered_map>
#include <unordered_set>
#include <vector>

#include "sim/graph/onnx/onnx_model.h"

namespace okksim::sim::graph::onnx {

/// A product of dequantised operands whose result is only quantised again:
/// DequantizeLinear - Conv, MatMul or Gemm - [Relu or Clip] - QuantizeLinear. It is an integer
/// product whose results differ by at most one step.
struct QuantisedIsland {
    const NodeProto* x = nullptr;      ///< DequantizeLinear of operand 0
    const NodeProto* w = nullptr;      ///< DequantizeLinear of operand 1
    const NodeProto* core = nullptr;   ///< the product
    const NodeProto* limit = nullptr;  ///< Relu or Clip; may be absent
    /// Nodes that only serve the island, in the file's order of computation.
    std::vector<const NodeProto*> inner;
};

/// The islands of a graph.
class QuantisedIslands {
 public:
    explicit QuantisedIslands(const GraphProto& graph);

    /// True for nodes that are lowered together with the end of their island.
    bool is_inner(const NodeProto& node) const { return inner_.contains(&node); }
    /// Returns the island that ends with a QuantizeLinear; nullptr if there is none.
    const QuantisedIsland* ending_at(const NodeProto& node) const;

 private:
    std::unordered_map<const NodeProto*, QuantisedIsland> islands_;
    std::unordered_set<const NodeProto*> inner_;
};

}  // namespace okksim::sim::graph::onnx
