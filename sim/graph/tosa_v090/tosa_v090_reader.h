// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "sim/graph/graph_format.h"

namespace okksim::sim::graph {

/// True for TOSA FlatBuffers with the version stamp 0.90.
bool probe_tosa_v090(std::span<const std::byte> bytes);

/// Reads a TOSA 0.90 file as a graph of TOSA 1.0 (README.md). Shape arithmetic is folded. Inputs of
/// type shape get their values from ReadOptions::shape_input, or from tensor shapes if these
/// determine them.
Graph read_tosa_v090(const GraphSource& source, const ReadOptions& options);

}  // namespace okksim::sim::graph
