// SPDX-License-Identifier: Apache-2.0
#pragma once

namespace okksim::sim::gate {

/// File name suffixes of a baseline: commands with the CRC of their output bytes, and times.
inline constexpr const char* kFunctionalEnd = ".func.trace";
inline constexpr const char* kTimeEnd = ".time.trace";
/// Suffix of a sweep's file: machines with their metrics.
inline constexpr const char* kSweepEnd = ".sweep.trace";

}  // namespace okksim::sim::gate
