// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include "sim/execution/case_result.h"
#include "sim/execution/conformance_options.h"

namespace okksim::sim::execution {

/// File name of the list of texts that must be refused. It is an array of objects with "program",
/// "line", "column" and, from another tool, "mlir_opt_22".
inline constexpr const char* kMalformedList = "EXPECTED.json";

/// Reads the texts of such a tree, each of which must be refused. The first problem must be at the
/// line of one of the two entries. Its column must be between their columns, with a tolerance of
/// one.
std::vector<CaseResult> run_malformed(const ConformanceOptions& options);

}  // namespace okksim::sim::execution
