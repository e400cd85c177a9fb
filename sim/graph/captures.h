// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include "sim/graph/graph.h"

namespace okksim::sim::graph {

/// The sub-graphs of a control-flow operator (then, else; cond, body); none for other operators.
std::vector<const SubGraph*> sub_graphs(const Operator& op);

/// All blocks of the graph, every block before those that contain it through control flow.
/// ProgramFault kIllegalGraph when a block contains itself.
std::vector<BlockReference> blocks_inside_out(const Graph& graph);

/// Resolves values that a block uses but does not define. On entry Block::captures lists tensors of
/// which only the name is known; they are values of the enclosing block with that name, or of its
/// enclosing block, and so on. Afterwards they have type and shape; those that are constants have
/// left the list and carry the constant's data; the others are bound in SubGraph::captures.
/// ProgramFault kIllegalGraph when there is no such value.
void bind_captures(Graph& graph);

}  // namespace okksim::sim::graph
