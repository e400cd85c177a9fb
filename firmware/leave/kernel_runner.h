// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <optional>
#include <span>

#include "firmware/calls/context.h"
#include "firmware/launch/kernel_entry.h"
#include "isa/base/fault.h"

namespace okksim::firmware {

/// Runs a kernel on this thread of control with `context` as the current one, from a fresh
/// sequencer state. Returns the fault that ended it, if any. Faults are ProgramFault of an API
/// function, a failed assertion, abort(), and host signals of firmware code. Such signals stand for
/// a bad pointer, a division by zero, an illegal instruction or the time budget. Afterwards the
/// context can run the next kernel. Commands that the kernel did not wait for may still run. Other
/// exceptions (of the machine behind the port) pass through unchanged.
std::optional<FaultRecord> run_kernel(Context& context, KernelEntry entry, const void* args,
                                      DeliveryMode mode = DeliveryMode::kJump);

/// Runs a kernel with a copy of the host's argument block. A read past its end is a fault that
/// names its size.
std::optional<FaultRecord> run_kernel(Context& context, KernelEntry entry,
                                      std::span<const std::byte> args,
                                      DeliveryMode mode = DeliveryMode::kJump);

/// Calls a user's kernel from a running kernel, which must be in DeliveryMode::kThrow. The
/// sequencer keeps its state. Faults of the inner kernel end only that kernel and are returned.
std::optional<FaultRecord> call_inner_kernel(Context& context, KernelEntry entry,
                                             std::span<const std::byte> args);

}  // namespace okksim::firmware
