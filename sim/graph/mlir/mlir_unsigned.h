// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "sim/graph/graph_attributes.h"
#include "sim/graph/mlir/mlir_operation.h"

namespace okksim::sim::graph {

/// Checks the use of unsigned types (ui8). They are valid for RESCALE if its attributes say so, and
/// for operators that only copy values. Other operators would compute with signed values. Reports
/// an invalid use and throws SyntaxBreak. `attributes` are those of `op`, an operation without
/// regions and variables.
void check_unsigned_types(const MlirOperation& op, OpCode code, const Attributes& attributes,
                          TextReport& report);

}  // namespace okksim::sim::graph
