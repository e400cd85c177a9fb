// SPDX-License-Identifier: Apache-2.0
#include "models/chip/command_price.h"

#include <optional>

#include "models/bdc/bdc_timing.h"
#include "models/gdma/gdma_timing.h"

namespace okksim::models {
namespace {

MemoryReply serve_at_rest(const MemoryRequest& request, MemoryDirection direction,
                          Picoseconds arrival, const isa::MachineShape& shape,
                          const MachineParams& params) {
    const bool is_dram = shape.global().holds(request.address);
    MemoryPort memory = is_dram ? MemoryPort(params.dram) : MemoryPort(params.l2_port);
    return memory.serve(request, direction, arrival);
}

}  // namespace

CommandCost price_alone(const isa::Command& command, const isa::MachineShape& shape,
                        const MachineParams& params) {
    if (command.info().engine == isa::Engine::kBdc) {
        return bdc_time(bdc_cost(command, shape, params.bdc), Clock(params.bdc.clock_mhz));
    }
    const Clock clock(params.gdma.clock_mhz);
    const GdmaCost cost = gdma_cost(command, shape, params.gdma);
    const Picoseconds arrival = clock.duration(cost.setup);
    std::optional<MemoryReply> read;
    std::optional<MemoryReply> write;
    if (cost.read) {
        read = serve_at_rest(*cost.read, MemoryDirection::kRead, arrival, shape, params);
    }
    if (cost.write) {
        write = serve_at_rest(*cost.write, MemoryDirection::kWrite, arrival, shape, params);
    }
    return gdma_time(cost, clock, {}, read, write);
}

}  // namespace okksim::models
