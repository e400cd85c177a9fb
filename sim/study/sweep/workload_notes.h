// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "sim/study/sweep/machine_rows.h"

namespace okksim::sim::sweep {

/// Names the types of networks of the zoo that machines of the sweep emulate, and the machine that
/// has their instructions. The text is empty if there are none.
std::string emulation_notes(const PointTable& table, const std::vector<MachineRow>& rows);

}  // namespace okksim::sim::sweep
