// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "sim/graph/graph_format.h"

namespace okksim::sim::graph {

/// True if the text begins like MLIR: comments, an alias, a module, a function or an operation.
bool probe_mlir(std::span<const std::byte> bytes);

/// Reads text of the MLIR dialects builtin, func and tosa (README.md). Throws GraphTextError with
/// up to ten errors. Graph::warnings lists deviations from the dialect that are accepted.
Graph read_mlir(const GraphSource& source, const ReadOptions& options);

}  // namespace okksim::sim::graph
