// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include "kernels/call/constant_memory.h"
#include "kernels/call/tensor.h"
#include "kernels/planning/decisions.h"

/// RESCALE's constants per channel. They are prepared once, like weights (prepared_constants.h), if
/// the factors are constant.
namespace okksim::kernels {

/// True if the call may have rows.
bool has_rows(const OperatorCall& call);
/// Bytes of the rows that the call decided to prepare.
std::uint64_t rows_bytes(const DecisionList& decisions);
/// Writes the rows to call.prepared.
void prepare_rows(const OperatorCall& call, const DecisionList& decisions,
                  const ConstantMemory& memory);

}  // namespace okksim::kernels
