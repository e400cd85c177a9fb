// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "sim/graph/graph_format.h"

namespace okksim::sim::graph {

/// True for TOSA FlatBuffers with the version stamp 0.90.
bool probe_tosa_v090(std::span<const std::byte> bytes);

/// Reads a TOSA 0.90 file into the form of 1.0 (README.md here). Shape arithmetic is folded; inputs
/// of type shape take their values from ReadOptions::shape_input, or from the shapes of tensors
/// where those suffice.
Graph read_tosa_v090(const GraphSource& source, const ReadOptions& options);

}  // namespace okksim::sim::graph
