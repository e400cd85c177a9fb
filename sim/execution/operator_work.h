// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>

#include "sim/graph/graph.h"

namespace okksim::sim::execution {

/// Returns the operations that an operator's definition requires, whatever its kernel does. There
/// are two per multiply-accumulate, padding included. There is one per tap of a pool, per reduced
/// element and per element-wise result. A Fourier transform of n points has 5 n log2(n), and half
/// of it from real input. Data movement and control flow have none. Returns no value for CUSTOM.
std::optional<double> useful_operations(const graph::Block& block, const graph::Operator& op);

}  // namespace okksim::sim::execution
