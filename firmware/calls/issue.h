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

/// Completes, checks and issues the call: one command, or the sequence that stands for it. Throws
/// ProgramFault naming the argument when a documented restriction is broken; nothing is issued
/// then.
void issue_call(Context& context, isa::Command command, const NullArguments& nulls);

}  // namespace okksim::firmware
