// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "sim/graph/graph.h"

namespace okksim::sim::graph {

/// Calls visit(block, op) for every operator of every block of the graph.
template <typename Visit>
void for_each_operator(const Graph& graph, Visit&& visit) {
    for (const Region& region : graph.regions) {
        for (const Block& block : region.blocks) {
            for (const Operator& op : block.operators) visit(block, op);
        }
    }
}

}  // namespace okksim::sim::graph
