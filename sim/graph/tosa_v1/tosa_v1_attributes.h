// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <string>

#include "sim/graph/graph_attributes.h"
#include "tosa_v1_generated.h"

namespace okksim::sim::graph {

/// Reports a fault of one attribute field: (field name, message); must not return.
using AttributeFailure = std::function<void(const std::string&, const std::string&)>;

/// Reads the attributes of one operator of a checked file. The union's tag must equal the
/// operator's number. Names of blocks (COND_IF, WHILE_LOOP) and variables are not resolved here;
/// their structs keep the default values.
Attributes read_attributes(const wire::TosaOperator& op, const AttributeFailure& fail);

}  // namespace okksim::sim::graph
