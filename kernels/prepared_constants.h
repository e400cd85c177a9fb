// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include "kernels/tensor.h"

/// Constants in the form that a kernel computes with. A planner asks for their size, has them made
/// once before the graph runs and hands their address to every call of the operator
/// (OperatorCall::prepared). Kernels do without where there is none.
namespace okksim::kernels {

/// Bytes of the call's prepared constants; 0: it wants none. Depends on types, shapes and on which
/// inputs are constant, not on addresses.
std::uint64_t prepared_bytes(const OperatorCall& call);

/// Makes them at call.prepared, a multiple of 128: firmware like an operator's kernel.
void prepare_constants(const OperatorCall& call);

}  // namespace okksim::kernels
