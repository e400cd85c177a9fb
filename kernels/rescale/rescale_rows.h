// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include "kernels/call/tensor.h"
#include "kernels/planning/decisions.h"

/// RESCALE's constants per channel: prepared once like weights (prepared_constants.h) where its
/// factors are constant.
namespace okksim::kernels {

/// Whether the call may have rows.
bool has_rows(const OperatorCall& call);
/// What the call decided to have prepared.
std::uint64_t rows_bytes(const DecisionList& decisions);
/// Makes them at call.prepared: firmware.
void prepare_rows(const OperatorCall& call, const DecisionList& decisions);

}  // namespace okksim::kernels
