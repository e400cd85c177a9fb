// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include "isa/command.h"

namespace okksim::firmware {

/// The new commands of the launch that runs on this thread: those that differ from the commands it
/// has issued before. An endless loop soon issues none. Up to thousands of commands are told apart;
/// in longer loops, commands count as new.
namespace new_commands {

/// Forgets the commands of the last launch.
void begin_launch();
/// Counts a command if it is new. Ids and waits do not matter.
void note(const isa::Command& command);
/// The number of new commands so far. Signal handlers may call it.
std::uint64_t count();

}  // namespace new_commands
}  // namespace okksim::firmware
