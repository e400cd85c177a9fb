// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include "isa/command.h"
#include "models/bdc/bdc_params.h"

namespace okksim::models {

/// Operations of a checked BDC command: two per multiply-accumulate, one per tap of a pool, two per
/// term of a series, one per result of any other command. What the array does beside that (lanes
/// without a channel, padding of groups) does not count.
std::uint64_t bdc_operations(const isa::Command& command);

/// Operations per second that no command of a class can exceed: every execution unit of every lane
/// busy, no start-up. Infinite when the machine gives the class no cost; 0 for classes that are not
/// of the BDC.
double bdc_peak_operations_per_second(isa::TimingClass timing, const isa::MachineShape& machine,
                                      const BdcParams& params);

}  // namespace okksim::models
