// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <functional>
#include <string_view>
#include <vector>

#include "sim/graph/onnx/onnx_model.h"

namespace okksim::sim::graph::onnx {

/// Calls visit(name) for every value that a node uses, also inside its graphs.
void for_each_used(const NodeProto& node, const std::function<void(std::string_view)>& visit);

/// A node that cannot run: it uses a value that no node computes, or depends on itself.
struct OrderFault {
    std::uint32_t node = 0;
    std::string_view value;
    bool is_cycle = false;
};

/// Puts nodes in an executable order; the file's order where possible. `is_known` tells the values
/// that exist before the nodes. Throws OrderFault.
std::vector<std::uint32_t> execution_order(const std::vector<NodeProto>& nodes,
                                           const std::function<bool(std::string_view)>& is_known);

}  // namespace okksim::sim::graph::onnx
