// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include "sim/lab/gate/gate_case.h"

namespace okksim::sim::gate {

/// Returns kernels first, then networks. Values are seeded, so the graphs are equal on every host.
const std::vector<GateCase>& gate_cases();
/// Returns those kernels for which machines may have instructions beyond the API reference.
std::vector<GateCase> group_cases();

}  // namespace okksim::sim::gate
