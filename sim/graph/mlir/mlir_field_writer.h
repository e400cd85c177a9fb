// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "sim/graph/graph.h"

namespace okksim::sim::graph {

/// Appends "name = value, ..." for all attributes of an operator. `type` is the type of its first
/// operand.
void append_fields(std::string& text, const Attributes& attributes, DType type);

}  // namespace okksim::sim::graph
