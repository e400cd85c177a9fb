// SPDX-License-Identifier: Apache-2.0
#include "models/bdc/bdc_engine.h"

namespace okksim::models {

BdcEngine::BdcEngine(const sc_core::sc_module_name& name, const BdcParams& params,
                     const isa::MachineShape& shape, std::size_t queue_depth, SyncUnit& sync)
    : Engine(name, isa::Engine::kBdc, queue_depth, sync),
      params_(params),
      shape_(shape),
      clock_(params.clock_mhz) {}

CommandCost BdcEngine::cost_of(const isa::Command& command) {
    return bdc_time(bdc_cost(command, shape_, params_), clock_);
}

}  // namespace okksim::models
