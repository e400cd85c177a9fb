// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "sim/graph/graph_format.h"

namespace okksim::sim::graph {

/// ONNX files of operator sets up to 23. The reader binds the shapes of the inputs, computes all
/// nodes whose operands are known, and lowers the others to TOSA 1.0.
bool probe_onnx(std::span<const std::byte> bytes);
Graph read_onnx(const GraphSource& source, const ReadOptions& options);

}  // namespace okksim::sim::graph
