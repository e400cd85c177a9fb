// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "models/bdc/bdc_timing.h"
#include "models/chip/engine.h"

namespace okksim::models {

/// The compute engine: prices commands with bdc_timing and runs them in order.
class BdcEngine : public Engine {
 public:
    BdcEngine(const sc_core::sc_module_name& name, const BdcParams& params,
              const isa::MachineShape& shape, std::size_t queue_depth, SyncUnit& sync);

 protected:
    CommandCost cost_of(const isa::Command& command) override;

 private:
    BdcParams params_;
    isa::MachineShape shape_;
    Clock clock_;
};

}  // namespace okksim::models
