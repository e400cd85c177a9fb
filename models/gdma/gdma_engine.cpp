// SPDX-License-Identifier: Apache-2.0
#include "models/gdma/gdma_engine.h"

#include "isa/errors.h"
#include "models/common/npu_module.h"

namespace okksim::models {

GdmaEngine::GdmaEngine(const sc_core::sc_module_name& name, const GdmaParams& params,
                       const isa::MachineShape& shape, std::size_t queue_depth, SyncUnit& sync)
    : Engine(name, isa::Engine::kGdma, queue_depth, sync),
      params_(params),
      shape_(shape),
      clock_(params.clock_mhz) {}

MemoryReply GdmaEngine::access(tlm::tlm_command direction, const MemoryRequest& request,
                               Picoseconds delay) {
    transfer_.request = request;
    payload_.set_command(direction);
    payload_.set_address(request.address);
    payload_.set_response_status(tlm::TLM_INCOMPLETE_RESPONSE);
    payload_.set_extension(&transfer_);
    sc_core::sc_time time = to_sc_time(delay);
    mem_out->b_transport(payload_, time);
    // The extension is a member, so the payload must not delete it.
    payload_.clear_extension(&transfer_);
    OKKSIM_CHECK(payload_.get_response_status() == tlm::TLM_OK_RESPONSE);
    return transfer_.reply;
}

CommandCost GdmaEngine::cost_of(const isa::Command& command) {
    const GdmaCost cost = gdma_cost(command, shape_, params_);
    const Picoseconds setup = clock_.duration(cost.setup);
    std::optional<MemoryReply> read;
    std::optional<MemoryReply> write;
    if (cost.read) read = access(tlm::TLM_READ_COMMAND, *cost.read, setup);
    if (cost.write) write = access(tlm::TLM_WRITE_COMMAND, *cost.write, setup);
    return gdma_time(cost, clock_, now(), read, write);
}

}  // namespace okksim::models
