// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "sim/graph/graph.h"

namespace okksim::sim::graph {

/// "name = value, ..." of all attributes of an operator, behind what `text` has; `type` is that of
/// its first operand.
void append_fields(std::string& text, const Attributes& attributes, DType type);

}  // namespace okksim::sim::graph
