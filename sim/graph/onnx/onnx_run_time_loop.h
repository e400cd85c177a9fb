// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "sim/graph/onnx/onnx_call.h"

namespace okksim::sim::graph::onnx {

/// Lowers Loop with a body whose end is known only at run time, to WHILE_LOOP.
void lower_run_time_loop(const Call& call, const GraphProto& graph);

}  // namespace okksim::sim::graph::onnx
