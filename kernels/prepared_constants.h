// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include "kernels/call/tensor.h"
#include "kernels/planning/decisions.h"

/// Constants in the form that a kernel needs. They are prepared once before the graph runs. Every
/// call of the operator gets their address (OperatorCall::prepared). Each call decides whether that
/// is faster.
namespace okksim::kernels {

/// True if the call has constants that could be prepared.
bool can_prepare(const OperatorCall& call);

/// Bytes of the constants that the call decided to prepare; 0: none.
std::uint64_t prepared_bytes(const OperatorCall& call, const DecisionList& decisions);

/// Firmware: writes the constants to call.prepared, which must be a multiple of 128.
void prepare_constants(const OperatorCall& call, const DecisionList& decisions);

}  // namespace okksim::kernels
