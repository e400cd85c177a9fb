// SPDX-License-Identifier: Apache-2.0
#include "models/mcu/mcu_timing.h"

namespace okksim::models {

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
