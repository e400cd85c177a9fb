// SPDX-License-Identifier: Apache-2.0
#pragma once

namespace okksim::tests {

/// Measures the calling thread's peak of separate fp32 multiplications and additions on registers,
/// in 10^9 multiply-add pairs per second, with the widest vectors of the host.
double measure_multiply_add_peak();

}  // namespace okksim::tests
