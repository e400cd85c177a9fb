// SPDX-License-Identifier: Apache-2.0
#include "models/gdma/gdma_engine.h"

#include "models/common/npu_module.h"

namespace okksim::models {

GdmaEngine::GdmaEngine(const sc_core::sc_module_name& name, const GdmaParams& params,
                       const isa::MachineShape& shape, std::size_t queue_depth, SyncUnit& sync)
    : Engine(name, isa::Engine::kGdma, queue_depth, sync),
      params_(params),
      shape_(shape),
      clock_(params.clock_mhz) {}

MemoryReply GdmaEngine::access(MemoryDirection direction, const MemoryRequest& request,
                               Picoseconds delay) {
    return transfers_.send(mem_out, request.address, request, direction, Arbitration::kArrival,
                           delay);
}

CommandCost GdmaEngine::cost_of(const isa::Command& command) {
    const GdmaCost cost = gdma_cost(command, shape_, params_);
    const Picoseconds setup = clock_.duration(cost.setup);
    std::optional<MemoryReply> read;
    std::optional<MemoryReply> write;
    if (cost.read) read = access(MemoryDirection::kRead, *cost.read, setup);
    if (cost.write) write = access(MemoryDirection::kWrite, *cost.write, setup);
    return gdma_time(cost, clock_, now(), read, write);
}

}  // namespace okksim::models
