// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "sim/graph/graph_attributes.h"
#include "sim/graph/mlir/mlir_operation.h"

namespace okksim::sim::graph {

/// Unsigned types (ui8) are those of RESCALE where its attributes say so, and of operators that
/// only move values: any other would compute with signed ones. Reports such a use of one, throws
/// SyntaxBreak. `attributes` are those of `op`, an operation without regions and variables.
void check_unsigned_types(const MlirOperation& op, OpCode code, const Attributes& attributes,
                          TextReport& report);

}  // namespace okksim::sim::graph
