// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>

#include "models/common/units.h"
#include "sim/bound/scope.h"
#include "sim/pricing/machine_host.h"

namespace okksim::sim::bound {

/// Returns the least time of a launch over all ways to cut its operators into layer groups and
/// kernels. Returns no value for launches with too many operators or rows, or with values other
/// than fp32 feature maps. Returns no value for machines whose GDMA or compute engines have faster
/// alternatives.
std::optional<models::Picoseconds> least_over_cuts_into_steps(const BoundScope& scope,
                                                              pricing::MachineHost& host);

}  // namespace okksim::sim::bound
