// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "kernels/call/constant_memory.h"
#include "kernels/call/tensor.h"
#include "kernels/planning/decisions.h"

/// Constants in the form that a kernel needs. The host prepares them before the graph runs, as a
/// compiler does, and no simulated time passes. Every call of the operator gets their address
/// (OperatorCall::prepared). Each call decides if that is faster.
namespace okksim::kernels {

/// True if the call has constants that could be prepared.
bool can_prepare(const OperatorCall& call);

/// Bytes of the constants that the call decided to prepare; 0: none.
std::uint64_t prepared_bytes(const OperatorCall& call, const DecisionList& decisions);

/// Returns the inputs that the call reads from global memory only in prepared form.
std::vector<std::size_t> inputs_only_prepared(const OperatorCall& call,
                                              const DecisionList& decisions);

/// Writes the constants to call.prepared, which must be a multiple of 128. A pure function of the
/// constants' bytes and the decisions.
void prepare_constants(const OperatorCall& call, const DecisionList& decisions,
                       const ConstantMemory& memory);

}  // namespace okksim::kernels
