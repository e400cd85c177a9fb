// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "sim/graph/graph.h"

namespace okksim::sim::graph {

/// Removes operators of all blocks whose results nothing uses, and their tensors. Readers that
/// compute parts of a graph on the host leave such operators. The graph is not yet scheduled.
/// Inputs, outputs and variable writes remain.
void prune_graph(Graph& graph);

}  // namespace okksim::sim::graph
