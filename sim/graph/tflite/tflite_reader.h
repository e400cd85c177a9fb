// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "sim/graph/graph_format.h"

namespace okksim::sim::graph {

/// TensorFlow Lite files (.tflite, schema version 3). Their operators are lowered to TOSA 1.0.
bool probe_tflite(std::span<const std::byte> bytes);
Graph read_tflite(const GraphSource& source, const ReadOptions& options);

}  // namespace okksim::sim::graph
