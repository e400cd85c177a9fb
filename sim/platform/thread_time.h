// SPDX-License-Identifier: Apache-2.0
#pragma once

namespace okksim::sim {

/// Returns the processor time of the calling thread in seconds. Other programs on the host disturb
/// it less than wall time.
double thread_seconds();

}  // namespace okksim::sim
