// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "firmware/calls/context.h"
#include "isa/command.h"

namespace okksim::firmware {

/// Issues the commands that a checked pseudo-command (InstructionKind::kSequence) stands for.
void issue_sequence(Context& context, const isa::Command& call);

}  // namespace okksim::firmware
