// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>

#include "models/common/units.h"
#include "sim/bound/scope.h"
#include "sim/pricing/machine_host.h"

namespace okksim::sim::bound {

/// The least time of a launch over all ways to cut its operators into layer groups and kernels, as
/// every plan does, step after step. Nothing for larger launches (operators, or rows of maps), for
/// others than fp32 maps, and for machines whose data mover or compute engines could do otherwise.
std::optional<models::Picoseconds> least_over_cuts_into_steps(const BoundScope& scope,
                                                              pricing::MachineHost& host);

}  // namespace okksim::sim::bound
