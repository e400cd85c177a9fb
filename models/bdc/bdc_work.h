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

/// What a checked BDC command makes the lanes do, all together.
struct BdcWork {
    std::uint64_t operations = 0;  ///< bdc_operations()
    int source_bits = 32;          ///< of the elements of its first source
    /// Of local memory: every operand once, but inputs and weights of windows and matrix products
    /// as often as the array fetches them (words_read() of the laws).
    std::uint64_t bytes_read = 0;
    std::uint64_t bytes_written = 0;
};
BdcWork bdc_work(const isa::Command& command, const isa::MachineShape& machine,
                 const BdcParams& params);

/// Operations per second that no command of a class can exceed: every execution unit of every lane
/// busy, no start-up. Infinite when the machine gives the class no cost; 0 for classes that are not
/// of the BDC.
double bdc_peak_operations_per_second(isa::TimingClass timing, const isa::MachineShape& machine,
                                      const BdcParams& params);

}  // namespace okksim::models
