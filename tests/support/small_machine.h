// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include "isa/types.h"

namespace okksim::tests {

/// A machine of any size with little system memory: 64 KiB of L2-SRAM and DTCM, 1 MiB global.
inline isa::MachineShape small_machine(std::int32_t lanes, std::int64_t local_bytes) {
    isa::MachineShape machine;
    machine.lanes = lanes;
    machine.local_bytes = local_bytes;
    machine.local_banks = 8;
    machine.vector_words = 32;
    machine.l2_start = 0x10000000;
    machine.l2_bytes = 64 * 1024;
    machine.dtcm_start = 0x02000000;
    machine.dtcm_bytes = 64 * 1024;
    machine.global_start = 0x100000000;
    machine.global_bytes = 1024 * 1024;
    return machine;
}

}  // namespace okksim::tests
