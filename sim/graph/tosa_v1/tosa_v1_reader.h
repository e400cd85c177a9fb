// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "sim/graph/graph_format.h"

namespace okksim::sim::graph {

/// True for files with the identifier "TOSA", of any version. The probes of other versions must run
/// earlier.
bool probe_tosa_v1(std::span<const std::byte> bytes);

/// Reads a TOSA 1.0 file. Constants are views of its bytes. A file of another version causes an
/// error that names the version.
Graph read_tosa_v1(const GraphSource& source, const ReadOptions& options);

}  // namespace okksim::sim::graph
