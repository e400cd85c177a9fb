// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>

namespace okksim::sim::bench {

/// Processor time of the calling thread in seconds: other programs on the host disturb it less.
double thread_seconds();

/// The calling thread's peak of separate fp32 multiplications and additions on registers, measured
/// for about `seconds`, in 10^9 multiply-add pairs per second, with the host's widest vectors.
double measure_multiply_add_peak(double seconds);

/// memcpy of `bytes`, again and again for about `seconds`: 10^9 bytes read and written per second.
double measure_copy_bandwidth(std::size_t bytes, double seconds);

}  // namespace okksim::sim::bench
