// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>

#include "isa/command_port.h"
#include "models/dram/dram_timing.h"
#include "models/mcu/mcu_params.h"

namespace okksim::models {

/// What a load or store of the control processor's own asks of a memory behind the interconnect:
/// the whole lines that hold its bytes, one run each. Nothing for DTCM, which is tightly coupled to
/// the processor: the cost of the call covers it.
std::optional<MemoryRequest> processor_request(const isa::ProcessorAccess& access,
                                               const isa::MachineShape& machine,
                                               const McuParams& params);

inline MemoryDirection direction_of(isa::AccessKind kind) {
    return kind == isa::AccessKind::kLoad ? MemoryDirection::kRead : MemoryDirection::kWrite;
}

/// When the processor goes on. It asks for a line only after it has got the one before, so beyond
/// the time for the bytes it waits for the memory's latency once per line.
Picoseconds processor_resumes(const MemoryRequest& request, const MemoryReply& reply);

}  // namespace okksim::models
