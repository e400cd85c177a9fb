// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include "sim/graph/graph.h"

namespace okksim::sim::graph {

/// Returns the sub-graphs of a control-flow operator (then, else; cond, body); empty for others.
std::vector<const SubGraph*> sub_graphs(const Operator& op);

/// Returns them for changes; the operator then no longer shares its attributes.
std::vector<SubGraph*> editable_sub_graphs(Operator& op);

/// Returns all blocks of the graph. Each block precedes the blocks that contain it through control
/// flow. ProgramFault kIllegalGraph if a block contains itself.
std::vector<BlockReference> blocks_inside_out(const Graph& graph);

/// Resolves the values that a block uses but does not define. On entry, Block::captures lists
/// tensors with only a name, which refer to values of enclosing blocks. On return, captures have
/// type and shape and are bound in SubGraph::captures. Captured constants leave the list and hold
/// the constant's data. ProgramFault kIllegalGraph if no enclosing block has the value.
void bind_captures(Graph& graph);

}  // namespace okksim::sim::graph
