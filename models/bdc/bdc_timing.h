// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "isa/command.h"
#include "models/bdc/bdc_params.h"
#include "models/common/units.h"

namespace okksim::models {

/// Cycles that a command occupies the compute engine, in its clock.
struct BdcCost {
    Cycles startup;  ///< before the first result
    Cycles execute;  ///< the law of its timing class
    Cycles total() const { return startup + execute; }
};

/// Prices one checked BDC command. A pure function of its operands; laws in models/bdc/README.md.
BdcCost bdc_cost(const isa::Command& command, const isa::MachineShape& machine,
                 const BdcParams& params);

}  // namespace okksim::models
