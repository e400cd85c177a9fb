// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "isa/command.h"
#include "models/bdc/bdc_params.h"
#include "models/common/command_times.h"

namespace okksim::models {

/// Cycles that a command occupies the compute engine, in its clock.
struct BdcCost {
    Cycles startup;        ///< before the first result
    Cycles execute;        ///< the law of its timing class
    Cycles bank_conflict;  ///< operands that lie in the same bank of local memory
    Cycles work() const { return startup + execute; }
    Cycles total() const { return work() + bank_conflict; }
};

/// Vectors that a command's operands must fetch or store while another operand uses the same bank:
/// for every pair of operands the vectors of the smaller one, times the share of their banks that
/// they have in common. Pure; models/bdc/README.md.
double conflicting_vectors(const isa::Command& command, const isa::MachineShape& machine,
                           const BdcParams& params);

/// Prices one checked BDC command. A pure function of its operands; laws in models/bdc/README.md.
BdcCost bdc_cost(const isa::Command& command, const isa::MachineShape& machine,
                 const BdcParams& params);

/// The same as time, by cause.
CommandCost bdc_time(const BdcCost& cost, const Clock& clock);

}  // namespace okksim::models
