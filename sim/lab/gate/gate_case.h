// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "sim/graph/graph.h"
#include "sim/graph/host_tensor.h"

namespace okksim::sim::gate {

/// A graph and the values of its inputs, in the order of its main block.
struct GateGraph {
    graph::Graph graph;
    std::vector<graph::HostTensor> inputs;
};

/// One entry of the gate: an operator with a typical size, or a small network.
struct GateCase {
    std::string name;
    std::function<GateGraph()> build;
};

}  // namespace okksim::sim::gate
