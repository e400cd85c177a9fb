// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>

#include "isa/command_port.h"
#include "models/common/units.h"
#include "models/dram/dram_timing.h"

namespace okksim::models {

struct McuParams;

/// Cost of a call that issues no command.
Cycles call_cycles(isa::FirmwareCall call, const McuParams& params);

/// Returns the time to bring one command to its engine.
Cycles issue_cycles(const McuParams& params, bool in_list);

/// Cost of the firmware's own arithmetic, rounded up.
Cycles compute_cycles(const isa::Computation& computation, const McuParams& params);

/// Returns the request of a control-processor load or store to a memory at the interconnect: the
/// whole lines that hold its bytes, one run each. Returns nothing for DTCM: it is tightly coupled
/// to the processor, and the cost of the call covers it.
std::optional<MemoryRequest> processor_request(const isa::ProcessorAccess& access,
                                               const isa::MachineShape& machine,
                                               const McuParams& params);

inline MemoryDirection direction_of(isa::AccessKind kind) {
    return kind == isa::AccessKind::kLoad ? MemoryDirection::kRead : MemoryDirection::kWrite;
}

/// Returns the time at which the processor resumes. It requests a line only after the previous line
/// has arrived. It therefore waits for the bytes and for the memory's latency once per line.
Picoseconds processor_resumes(const MemoryRequest& request, const MemoryReply& reply);

}  // namespace okksim::models
