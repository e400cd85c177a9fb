// SPDX-License-Identifier: Apache-2.0
#include "models/mcu/mcu_timing.h"

#include <cmath>

#include "isa/command.h"
#include "models/mcu/mcu_params.h"

namespace okksim::models {

Cycles call_cycles(isa::FirmwareCall call, const McuParams& params) {
    switch (call) {
        case isa::FirmwareCall::kQuery: return {params.query_cycles};
        case isa::FirmwareCall::kInitialize: return {params.initialize_cycles};
        case isa::FirmwareCall::kParallelStart: return {params.parallel_start_cycles};
        case isa::FirmwareCall::kParallelEnd: return {params.parallel_end_cycles};
        case isa::FirmwareCall::kPointer: return {params.pointer_cycles};
        case isa::FirmwareCall::kListStart:
            return {params.fetches_lists() ? params.list_start_cycles : 0};
        case isa::FirmwareCall::kListEnd: return {0};
    }
    __builtin_unreachable();
}

Cycles issue_cycles(const McuParams& params, bool in_list) {
    if (!in_list) return {params.command_cycles};
    return {params.list_command_cycles +
            static_cast<std::int64_t>(std::ceil(static_cast<double>(sizeof(isa::Command)) /
                                                params.list_bytes_per_cycle))};
}

Cycles compute_cycles(const isa::Computation& computation, const McuParams& params) {
    const auto cost = [&](double cycles) {
        return Cycles{static_cast<std::int64_t>(
            std::ceil(cycles * static_cast<double>(computation.operations)))};
    };
    switch (computation.kind) {
        case isa::ComputeKind::kInteger: return cost(params.integer_operation_cycles);
        case isa::ComputeKind::kSoftFloat: return cost(params.soft_float_operation_cycles);
    }
    __builtin_unreachable();
}

std::optional<MemoryRequest> processor_request(const isa::ProcessorAccess& access,
                                               const isa::MachineShape& machine,
                                               const McuParams& params) {
    const std::uint64_t address = access.address.value();
    if (machine.dtcm().holds(address) || access.bytes == 0) return std::nullopt;
    const auto line = static_cast<std::uint64_t>(params.line_bytes);
    const std::uint64_t first = address / line;
    const std::uint64_t last = (address + access.bytes - 1) / line;
    // A memory may begin inside a line; bytes before its start are not requested.
    const std::uint64_t begin = first * line;
    const bool is_inside = machine.in_one_memory(begin, address - begin + 1);
    return MemoryRequest{last - first + 1, line, line, is_inside ? begin : address};
}

Picoseconds processor_resumes(const MemoryRequest& request, const MemoryReply& reply) {
    return {reply.served.value + static_cast<std::int64_t>(request.runs) * reply.latency.value};
}

}  // namespace okksim::models
