// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "sim/graph/graph_format.h"

namespace okksim::sim::graph {

/// True for .xmodel containers with operators of OpLib. Names are those of the specification or of
/// existing files (xmodel_operators.def). The reader lowers the operators to TOSA 1.0.
bool probe_xmodel(std::span<const std::byte> bytes);
/// In addition to the errors of GraphFormat::read, throws GraphFileError with unread() for
/// unsupported operators, types and modes, and for files without weights.
Graph read_xmodel(const GraphSource& source, const ReadOptions& options);

}  // namespace okksim::sim::graph
