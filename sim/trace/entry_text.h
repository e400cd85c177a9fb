// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "sim/trace/command_trace.h"

namespace okksim::sim::trace {

/// Returns e.g. "load 12 bytes at 0x105100000".
std::string access_text(const isa::ProcessorAccess& access);

/// Returns one line for an entry of a command trace: a command's disassembly and CRC, or the
/// control processor's action.
std::string entry_text(const TraceEntry& entry, const isa::MachineShape& machine);

}  // namespace okksim::sim::trace
