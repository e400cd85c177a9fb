// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>

#include "sim/platform/thread_time.h"

namespace okksim::sim::bench {

/// Runs `work` repeatedly for about `seconds`. Returns runs per second of processor time.
template <typename Work>
double runs_per_second(double seconds, const Work& work) {
    // Seconds between clock readings. A reading is a system call; this interval makes its cost
    // negligible for short work.
    constexpr double kBetweenReadings = 0.0005;
    const double start = thread_seconds();
    double last = start;
    std::int64_t runs = 0;
    for (std::int64_t batch = 1;;) {
        for (std::int64_t i = 0; i < batch; ++i) work();
        runs += batch;
        const double now = thread_seconds();
        if (now - start >= seconds) return static_cast<double>(runs) / (now - start);
        if (now - last < kBetweenReadings) batch *= 2;
        last = now;
    }
}

/// Measures the calling thread's peak of separate fp32 multiplications and additions for about
/// `seconds`. Returns 10^9 multiply-add pairs per second with the host's widest vectors.
double measure_multiply_add_peak(double seconds);

/// Measures the peak of byte products with 32-bit sums for about `seconds`. Uses the host's
/// instruction for byte dot products, or for 16-bit ones if it has none. Returns 10^9 products per
/// second.
double measure_byte_product_peak(double seconds);

/// Returns the processor time in seconds to sort a million numbers: the unit for work that consists
/// of decisions.
double measure_sort();
inline constexpr char kSortUnit[] = "sorts of 10^6 numbers";

/// Returns the bandwidth of the fastest copy of `bytes`, in 10^9 bytes read and written per second.
/// Tries a vector loop, one memcpy, and memcpy in pieces, each for about `seconds`.
double measure_copy_bandwidth(std::size_t bytes, double seconds);

}  // namespace okksim::sim::bench
