// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <ucontext.h>

namespace okksim::firmware {

/// The address of the instruction that a signal has interrupted; nullptr on unknown hosts.
const void* program_counter_of(const ucontext_t& state);
/// The stack pointer of the code that a signal has interrupted; nullptr on unknown hosts.
const void* stack_pointer_of(const ucontext_t& state);

}  // namespace okksim::firmware
