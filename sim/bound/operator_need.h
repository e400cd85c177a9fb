// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "models/chip/machine_params.h"
#include "sim/bound/engine_need.h"
#include "sim/graph/graph.h"
#include "sim/pricing/machine_host.h"

namespace okksim::sim::bound {

/// Whether the operator reads all elements of operand `index` when all of its results are wanted.
bool reads_whole(const graph::Block& block, const graph::Operator& op, std::size_t index);

/// What an operator, all of whose results are wanted, takes of the compute engines in any plan.
/// Nothing for copies and views, and for integers other than products: their commands differ from
/// machine to machine.
ComputeNeed operator_need(const graph::Block& block, const graph::Operator& op,
                          pricing::MachineHost& host);

/// Bytes of an operator's weights, where they are constant: no plan does without them.
std::uint64_t weight_bytes(const graph::Block& block, const graph::Operator& op);

/// Bytes of a value in global memory.
std::uint64_t value_bytes(const graph::Tensor& tensor);

}  // namespace okksim::sim::bound
