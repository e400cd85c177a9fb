// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "sim/graph/graph.h"

namespace okksim::sim::graph {

/// Puts the operators of every block in an executable order and fills Tensor::producer and
/// Tensor::is_block_input. Operators keep their order as far as values allow: the next one is
/// always the first of the file's order whose inputs are ready. So a list that can be executed as
/// it is, with its reads and writes of variables, stays as it is.
///
/// Checks the rules of section 2.2 that make execution possible: every value has one producer, is a
/// block input or a constant; block outputs exist; there are no cycles. ProgramFault kIllegalGraph
/// otherwise.
///
/// For graphs from files the reader has called this; call it once on graphs built in memory.
void schedule_graph(Graph& graph);

}  // namespace okksim::sim::graph
