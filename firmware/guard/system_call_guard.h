// SPDX-License-Identifier: Apache-2.0
#pragma once

namespace okksim::firmware {

/// Gets the replacements of read(), write(), fread(), fwrite() and their like linked in: the system
/// gets no signal for memory that is watched, so it is opened for it.
void watch_system_calls();

}  // namespace okksim::firmware
