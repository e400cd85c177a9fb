// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "sim/graph/graph.h"

namespace okksim::sim::graph {

/// True for operators that only name a constant, and are never executed.
inline bool is_constant(tosa::OpCode op) {
    return op == tosa::OpCode::kConst || op == tosa::OpCode::kConstShape;
}
inline bool is_constant(const Operator& op) { return is_constant(op.op); }

}  // namespace okksim::sim::graph
