// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "isa/command.h"
#include "models/common/command_times.h"

namespace okksim::models {

struct BdcParams;

/// Cycles for which a command occupies the compute engine, in its clock.
struct BdcCost {
    Cycles startup;        ///< before the first result
    Cycles execute;        ///< from the cost formula of its timing class
    Cycles bank_conflict;  ///< operands in the same bank of local memory
    Cycles work() const { return startup + execute; }
    Cycles total() const { return work() + bank_conflict; }
};

/// Returns the number of vectors that a command fetches or stores while another operand uses the
/// same bank. For every pair of operands: vectors of the smaller one times the share of common
/// banks. Pure; see models/bdc/README.md.
double conflicting_vectors(const isa::Command& command, const isa::MachineShape& machine,
                           const BdcParams& params);

/// Returns the cost of one checked BDC command. A pure function of the operands; the formulas are
/// in models/bdc/README.md.
BdcCost bdc_cost(const isa::Command& command, const isa::MachineShape& machine,
                 const BdcParams& params);

/// Converts the cost to time, by cause.
CommandCost bdc_time(const BdcCost& cost, const Clock& clock);

}  // namespace okksim::models
