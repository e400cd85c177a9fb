// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "sim/graph/compose/windows.h"
#include "sim/graph/tflite/tflite_call.h"

namespace okksim::sim::graph::tflite {

/// Returns the windows of a convolution in one direction, with the padding of the file.
inline compose::WindowAxis window(const Call& call, std::int64_t input, std::int64_t kernel,
                                  std::int64_t stride, std::int64_t dilation,
                                  wire::Padding padding) {
    if (stride < 1 || dilation < 1 || kernel < 1) {
        call.illegal("window",
                     "kernel " + std::to_string(kernel) + ", stride " + std::to_string(stride) +
                         ", dilation " + std::to_string(dilation),
                     "kernel, stride and dilation are at least 1");
    }
    if (padding != wire::Padding::SAME && padding != wire::Padding::VALID) {
        call.illegal("padding", std::to_string(static_cast<int>(padding)), "it is SAME or VALID");
    }
    compose::WindowAxis axis{kernel, stride, dilation};
    if (padding == wire::Padding::SAME) {
        axis = compose::same_padded(axis, input, compose::OddPadding::kAfter);
    }
    if (compose::window_count(axis, input) < 1) {
        call.illegal("window", std::to_string(axis.reach()),
                     "the window fits into the input, " + std::to_string(input));
    }
    return axis;
}

}  // namespace okksim::sim::graph::tflite
