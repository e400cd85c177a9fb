// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string_view>
#include <vector>

#include "sim/graph/onnx/onnx_call.h"

namespace okksim::sim::graph::onnx {

/// Returns an inner graph of Loop, Scan or If; a fault if it is missing.
const GraphProto& body(const Call& call, std::string_view name);

/// Joins the values of scan output `n`, one per iteration, along a new axis.
Value& stacked(const Call& call, std::size_t n, const std::vector<Value*>& parts, std::size_t axis);
/// Sets output `n` to such values.
void set_stacked(const Call& call, std::size_t n, const std::vector<Value*>& parts,
                 std::size_t axis);

}  // namespace okksim::sim::graph::onnx
