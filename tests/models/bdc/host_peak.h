// SPDX-License-Identifier: Apache-2.0
#pragma once

namespace okksim::tests {

/// Processor time of the calling thread in seconds: other programs on the host disturb it less.
double thread_seconds();

/// Measures the calling thread's peak of separate fp32 multiplications and additions on registers
/// for about `seconds`, in 10^9 multiply-add pairs per second, with the host's widest vectors.
double measure_multiply_add_peak(double seconds);

}  // namespace okksim::tests
