// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include "isa/command.h"

namespace okksim::models {

struct BdcParams;

/// Returns the operations of a checked BDC command. Two per multiply-accumulate, one per tap of a
/// pool, two per term of a series, one per result of any other command. Wasted work (lanes without
/// a channel, padding of groups) does not count.
std::uint64_t bdc_operations(const isa::Command& command);

/// Work of all lanes for a checked BDC command.
struct BdcWork {
    std::uint64_t operations = 0;  ///< bdc_operations()
    int source_bits = 32;          ///< of the elements of its first source
    /// Bytes of local memory. Every operand counts once. Inputs and weights of windows and matrix
    /// products count for every fetch of the array (words_read() of the cost formulas).
    std::uint64_t bytes_read = 0;
    std::uint64_t bytes_written = 0;
};
BdcWork bdc_work(const isa::Command& command, const isa::MachineShape& machine,
                 const BdcParams& params);

/// Returns the operations per second that no command of a class can exceed: every execution unit of
/// every lane busy, no start-up. Infinite if the machine gives the class no cost; 0 for classes of
/// other engines.
double bdc_peak_operations_per_second(isa::TimingClass timing, const isa::MachineShape& machine,
                                      const BdcParams& params);

}  // namespace okksim::models
