// SPDX-License-Identifier: Apache-2.0
#include "sim/trace/entry_text.h"

#include <fmt/format.h>

#include "isa/base/hex.h"
#include "isa/disassembler.h"
#include "sim/trace/command_check.h"

namespace okksim::sim::trace {
namespace {

const char* call_name(isa::FirmwareCall call) {
    switch (call) {
        case isa::FirmwareCall::kQuery: return "query";
        case isa::FirmwareCall::kInitialize: return "initialize";
        case isa::FirmwareCall::kParallelStart: return "parallel_start";
        case isa::FirmwareCall::kParallelEnd: return "parallel_end";
        case isa::FirmwareCall::kPointer: return "pointer";
        case isa::FirmwareCall::kListStart: return "list_start";
        case isa::FirmwareCall::kListEnd: return "list_end";
    }
    __builtin_unreachable();
}

}  // namespace

std::string access_text(const isa::ProcessorAccess& access) {
    return fmt::format("{} {} byte{} at {}",
                       access.kind == isa::AccessKind::kLoad ? "load" : "store", access.bytes,
                       access.bytes == 1 ? "" : "s", isa::hex(access.address.value()));
}

std::string entry_text(const TraceEntry& entry, const isa::MachineShape& machine) {
    switch (entry.kind) {
        case EntryKind::kLaunch: return fmt::format("launch {}", entry.name);
        case EntryKind::kFinish:
            return fmt::format("finish after {:.6f} us", entry.duration.microseconds());
        case EntryKind::kPoll: return "wait for both engines";
        case EntryKind::kCharge:
            return fmt::format("call {} x{}", call_name(entry.call), entry.count);
        case EntryKind::kCompute:
            return fmt::format(
                "compute {}: {} {} operation{}", entry.name, entry.computation.operations,
                entry.computation.kind == isa::ComputeKind::kInteger ? "integer" : "soft-float",
                entry.computation.operations == 1 ? "" : "s");
        case EntryKind::kAccess: return access_text(entry.access);
        case EntryKind::kCommand: {
            if (const auto problem = command_problem(entry.command, machine)) {
                return "malformed command: " + *problem;
            }
            std::string text = isa::disassemble(entry.command, machine);
            if (entry.data_crc) text += fmt::format(" crc={:08x}", *entry.data_crc);
            return text;
        }
        case EntryKind::kPlace: return "in " + entry.name;
        case EntryKind::kBuffer:
            return fmt::format("buffer {} at {}, {} bytes", entry.name,
                               isa::hex(entry.access.address.value()), entry.access.bytes);
        case EntryKind::kData:
            return fmt::format("{} bytes written at {}", entry.access.bytes,
                               isa::hex(entry.access.address.value()));
    }
    __builtin_unreachable();
}

}  // namespace okksim::sim::trace
