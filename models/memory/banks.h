// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include "isa/tensors.h"
#include "models/common/units.h"

namespace okksim::models {

/// A set of banks of a lane's local memory; bit b is bank b. All lanes work in lockstep, so the set
/// is the union over the lanes.
using BankSet = std::uint64_t;

/// Banks that a local tensor touches. A bank holds bytes-per-lane / banks neighbouring bytes.
BankSet touched_banks(const isa::TensorView& view, const isa::MachineShape& machine);
/// Banks of all local tensors of a command.
BankSet touched_banks(const isa::Command& command, const isa::MachineShape& machine);

/// A command at work on some banks.
struct BankUse {
    BankSet banks = 0;
    Picoseconds start;
    Picoseconds end;
};
/// Returns the time during which two commands of different engines use a common bank.
Picoseconds shared_bank_time(const BankUse& a, const BankUse& b);
/// Returns the delay of the command that was issued later, from the time on shared banks.
Picoseconds bank_stall(Picoseconds shared, double interference);

}  // namespace okksim::models
