// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>

namespace okksim::sim::bench {

/// Processor time of the calling thread in seconds: other programs on the host disturb it less.
double thread_seconds();

/// Runs `work` again and again for about `seconds`: runs per second of processor time.
template <typename Work>
double runs_per_second(double seconds, const Work& work) {
    const double start = thread_seconds();
    for (std::int64_t runs = 1;; ++runs) {
        work();
        const double elapsed = thread_seconds() - start;
        if (elapsed >= seconds) return static_cast<double>(runs) / elapsed;
    }
}

/// The calling thread's peak of separate fp32 multiplications and additions on registers, measured
/// for about `seconds`, in 10^9 multiply-add pairs per second, with the host's widest vectors.
double measure_multiply_add_peak(double seconds);

/// memcpy of `bytes`, again and again for about `seconds`: 10^9 bytes read and written per second.
double measure_copy_bandwidth(std::size_t bytes, double seconds);

}  // namespace okksim::sim::bench
