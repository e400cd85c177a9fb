// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include "kernels/call/tensor.h"
#include "kernels/planning/decisions.h"

/// Constants in the form that a kernel computes with: made once before the graph runs, at an
/// address that every call of the operator then gets (OperatorCall::prepared). Whether that pays is
/// one of the call's decisions.
namespace okksim::kernels {

/// Whether the call has constants that could be prepared.
bool can_prepare(const OperatorCall& call);

/// Bytes of what the call decided to have prepared; 0: nothing.
std::uint64_t prepared_bytes(const OperatorCall& call, const DecisionList& decisions);

/// Makes it at call.prepared, a multiple of 128: firmware like an operator's kernel.
void prepare_constants(const OperatorCall& call, const DecisionList& decisions);

}  // namespace okksim::kernels
