// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "firmware/calls/context.h"
#include "firmware/launch/null_arguments.h"
#include "isa/command.h"

namespace okksim::firmware {

/// Completes a call of an API function to its command. Layouts, padding and steps that were NULL
/// get their documented defaults. The context decides whether the vendor's deviations apply. Throws
/// ProgramFault when a required pointer is NULL or a default layout does not fit the 32-bit
/// strides.
void complete_arguments(isa::Command& command, NullArguments nulls, const Context& context);

/// Completes, checks and issues a call as one command or as its sequence. Throws ProgramFault,
/// which names the argument, if a documented restriction is broken. Then nothing is issued.
void issue_call(Context& context, isa::Command command, const NullArguments& nulls);

}  // namespace okksim::firmware
