// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

namespace okksim::models {

/// Options of one simulated chip. They do not change the machine's parameters.
struct ChipOptions {
    /// False: timing only; memories keep their contents. Lanes hold zeros, so that kernels that
    /// test them for error conditions find none.
    bool with_data = true;
    int threads = 1;               ///< host threads that carry out one command
    bool with_diagnostics = true;  ///< report uninitialised reads and hazards
    /// Tracks uninitialised system memory per byte instead of per 64 bytes.
    bool exact_bytes = false;
    /// Global memory is what is bound to `external.out`, not the chip's own.
    bool external_memory = false;
    std::uint64_t burst_bytes = 4096;           ///< longest transaction to external memory
    std::uint64_t host_registers = 0xF0000000;  ///< address of the register block (models/host)
};

}  // namespace okksim::models
