// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "sim/trace/command_trace.h"

namespace okksim::sim::trace {

/// "load 12 bytes at 0x105100000".
std::string access_text(const isa::ProcessorAccess& access);

/// One line for an entry of a command trace: the disassembly of a command, with its CRC, or what
/// the control processor did.
std::string entry_text(const TraceEntry& entry, const isa::MachineShape& machine);

}  // namespace okksim::sim::trace
