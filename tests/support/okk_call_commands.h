// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "firmware/calls/call_value.h"
#include "isa/command.h"

namespace okksim::tests {

/// Returns the command of a single-command function from its arguments in the API's order. NULL
/// strides become the documented default layouts. Throws std::runtime_error for a value of the
/// wrong kind or a wrong number of arguments. Makes no other checks.
isa::Command command_of_call(const isa::InstructionInfo& function,
                             const firmware::CallValues& arguments,
                             const isa::MachineShape& machine);

/// The inverse: returns arguments that give the same command. Functions without stride arguments
/// drop the strides, which must be those of the 128-byte aligned layout.
firmware::CallValues call_of_command(const isa::Command& command);

/// True for convolutions, pools and products of matrices.
bool is_layer(const isa::InstructionInfo& row);

}  // namespace okksim::tests
