// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include "sim/execution/case_result.h"
#include "sim/execution/conformance_options.h"

namespace okksim::sim::execution {

/// Name of the list of a tree of texts that must be refused: an array of objects with "program",
/// "line", "column" and, from another tool, "mlir_opt_22".
inline constexpr const char* kMalformedList = "EXPECTED.json";

/// Reads the texts of such a tree: each must be refused, and its first problem must be at a line of
/// one of the two entries, and at a column between theirs (within one).
std::vector<CaseResult> run_malformed(const ConformanceOptions& options);

}  // namespace okksim::sim::execution
