// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "sim/graph/graph_format.h"

namespace okksim::sim::graph {

/// .xmodel containers with operators of OpLib, under the names of the specification or those of
/// files in use (xmodel_operators.def). The operators become those of TOSA 1.0.
bool probe_xmodel(std::span<const std::byte> bytes);
/// Besides the errors of GraphFormat::read: GraphFileError with unread() for operators, types and
/// modes that are not computed, and for files whose weights are gone.
Graph read_xmodel(const GraphSource& source, const ReadOptions& options);

}  // namespace okksim::sim::graph
