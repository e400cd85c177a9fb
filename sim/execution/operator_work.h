// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>

#include "sim/graph/graph.h"

namespace okksim::sim::execution {

/// Operations that an operator's definition asks for, whatever its kernel does: two per
/// multiply-accumulate, padding included; one per tap of a pool, per reduced element and per result
/// of an element-wise operator; 5 n log2(n) for a Fourier transform of n points, half of it from
/// real input; none for moving data and for control flow. Nothing for CUSTOM.
std::optional<double> useful_operations(const graph::Block& block, const graph::Operator& op);

}  // namespace okksim::sim::execution
