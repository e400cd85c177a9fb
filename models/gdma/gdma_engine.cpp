// SPDX-License-Identifier: Apache-2.0
#include "models/gdma/gdma_engine.h"

#include <algorithm>

#include "isa/errors.h"
#include "models/common/npu_module.h"

namespace okksim::models {

GdmaEngine::GdmaEngine(const sc_core::sc_module_name& name, const GdmaParams& params,
                       const isa::MachineShape& shape, std::size_t queue_depth, SyncUnit& sync)
    : Engine(name, isa::Engine::kGdma, queue_depth, sync),
      params_(params),
      shape_(shape),
      clock_(params.clock_mhz) {}

Picoseconds GdmaEngine::memory_time(tlm::tlm_command direction, const SystemAccess& access,
                                    Picoseconds delay) {
    transfer_.request = access.request;
    payload_.set_command(direction);
    payload_.set_address(access.address);
    payload_.set_response_status(tlm::TLM_INCOMPLETE_RESPONSE);
    payload_.set_extension(&transfer_);
    sc_core::sc_time time = to_sc_time(delay);
    mem_out->b_transport(payload_, time);
    // The extension is a member, so the payload must not delete it.
    payload_.clear_extension(&transfer_);
    OKKSIM_CHECK(payload_.get_response_status() == tlm::TLM_OK_RESPONSE);
    return from_sc_time(time);
}

Picoseconds GdmaEngine::end_of(const isa::Command& command) {
    const GdmaCost cost = gdma_cost(command, shape_, params_);
    const Picoseconds setup = clock_.duration(cost.setup);
    Picoseconds memory = setup;
    if (cost.read) {
        memory = std::max(memory, memory_time(tlm::TLM_READ_COMMAND, *cost.read, setup));
    }
    if (cost.write) {
        memory = std::max(memory, memory_time(tlm::TLM_WRITE_COMMAND, *cost.write, setup));
    }
    return now() +
           std::max(setup + clock_.duration(cost.port), memory + clock_.duration(cost.overhead));
}

}  // namespace okksim::models
