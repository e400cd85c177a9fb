// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "sim/graph/graph.h"

namespace okksim::sim::graph {

/// Puts the operators of every block into an executable order, and sets Tensor::producer and
/// Tensor::is_block_input. The next operator is always the first one in the file's order whose
/// inputs are ready. An order that is already executable, including its variable accesses, does not
/// change.
///
/// Checks the rules of section 2.2 that make execution possible. Every value has one producer, or
/// is a block input or a constant; block outputs exist; there are no cycles. ProgramFault
/// kIllegalGraph otherwise.
///
/// Readers call this for graphs from files. Call it once for graphs built in memory.
void schedule_graph(Graph& graph);

}  // namespace okksim::sim::graph
