// SPDX-License-Identifier: Apache-2.0
#pragma once

namespace okksim::firmware {

/// Links the replacements of read(), write(), fread(), fwrite() and their like into the program.
/// The system gets no signal for watched memory, so the replacements open that memory first.
void watch_system_calls();

}  // namespace okksim::firmware
