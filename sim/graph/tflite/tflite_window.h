// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include "sim/graph/tflite/tflite_file.h"

namespace okksim::sim::graph::tflite {

/// One direction of a sliding window. TOSA wants windows that fit exactly: `used` elements of the
/// input are read, and padding follows them.
struct WindowAxis {
    std::int64_t input = 0;
    std::int64_t kernel = 0;
    std::int64_t stride = 1;
    std::int64_t dilation = 1;
    std::int64_t before = 0;
    std::int64_t after = 0;
    std::int64_t used = 0;
    std::int64_t output = 0;
};

/// Computes padding and output. The output is less than 1 if the window does not fit.
WindowAxis window_axis(std::int64_t input, std::int64_t kernel, std::int64_t stride,
                       std::int64_t dilation, wire::Padding padding);

/// Returns the padding before the input of the convolution that a transposed one inverts.
std::int64_t transposed_before(std::int64_t output, std::int64_t kernel, std::int64_t stride,
                               wire::Padding padding);

}  // namespace okksim::sim::graph::tflite
