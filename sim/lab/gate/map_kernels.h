// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "sim/lab/gate/gate_case.h"
#include "sim/lab/gate/operator_graph.h"

namespace okksim::sim::gate {

/// Shape of a feature map that is typical of networks.
inline const Shape kMap{1, 28, 28, 64};

/// Makes a graph of one kernel.
using Describe = void (*)(OperatorGraph&);
GateCase kernel(const char* name, Describe describe);

// Operators on such feature maps, of any type.
void unary(OperatorGraph& g, OpCode code, DType type);
void binary(OperatorGraph& g, OpCode code, DType in, DType out,
            tosa::Attributes attributes = tosa::NoAttributes{});
void multiply(OperatorGraph& g, DType type);
void select(OperatorGraph& g, DType type);
void clamp(OperatorGraph& g, DType type, const tosa::ElementBytes& low,
           const tosa::ElementBytes& high);
/// Windows of 3 x 3 with zero padding around the feature map.
void max_pool(OperatorGraph& g, DType type);

}  // namespace okksim::sim::gate
