// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>

#include "kernels/conv/byte_plan.h"
#include "kernels/planning/host.h"

namespace okksim::kernels::conv {

/// Planner: returns the fastest plan with commands on bytes. Returns nothing if the machine or the
/// problem does not allow them: other types, sums that might not fit, unknown values, axes beyond a
/// command. `prepared`: address of the prepared constants, for prices.
std::optional<BytePlan> plan_bytes(const Problem& problem, std::uint64_t prepared, Host& host);

}  // namespace okksim::kernels::conv
