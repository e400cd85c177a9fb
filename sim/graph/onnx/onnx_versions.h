// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace okksim::sim::graph::onnx {

/// Returns the operator sets of ai.onnx that have an operator, if `opset` is none of them.
std::string broken_version_rule(std::string_view type, std::int64_t opset);

}  // namespace okksim::sim::graph::onnx
