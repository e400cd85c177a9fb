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
    // Reading the clock is a system call: short work runs so often between two readings that the
    // call does not count.
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

/// The calling thread's peak of separate fp32 multiplications and additions, measured
/// for about `seconds`, in 10^9 multiply-add pairs per second, with the host's widest vectors.
double measure_multiply_add_peak(double seconds);

/// The same of products of bytes that are summed in 32 bits, by the host's instruction for dot
/// products of bytes, or by that for 16 bits where there is none, in 10^9 products per second.
double measure_byte_product_peak(double seconds);

/// Processor time in which the calling thread sorts a million numbers, in seconds: the yardstick
/// of work that is made of decisions.
double measure_sort();
inline constexpr char kSortUnit[] = "sorts of 10^6 numbers";

/// The fastest way to copy `bytes` that there is, a loop of vectors or memcpy of all at once or of
/// pieces, each again and again for about `seconds`: 10^9 bytes read and written per second.
double measure_copy_bandwidth(std::size_t bytes, double seconds);

}  // namespace okksim::sim::bench
