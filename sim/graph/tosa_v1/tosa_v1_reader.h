// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "sim/graph/graph_format.h"

namespace okksim::sim::graph {

/// Files with the identifier "TOSA", of any version; readers of other versions come before this
/// one.
bool probe_tosa_v1(std::span<const std::byte> bytes);

/// Reads a TOSA 1.0 file. Constants are views of its bytes. A file of another version is refused by
/// name.
Graph read_tosa_v1(const GraphSource& source, const ReadOptions& options);

}  // namespace okksim::sim::graph
