// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <string_view>
#include <unordered_map>

#include "sim/graph/onnx/onnx_model.h"

namespace okksim::sim::graph::onnx {

/// The number of uses of each value of a graph: by nodes, inner graphs and outputs.
class UseCounts {
 public:
    explicit UseCounts(const GraphProto& graph);
    std::size_t of(std::string_view name) const {
        const auto found = counts_.find(name);
        return found == counts_.end() ? 0 : found->second;
    }

 private:
    std::unordered_map<std::string_view, std::size_t> counts_;
};

}  // namespace okksim::sim::graph::onnx
