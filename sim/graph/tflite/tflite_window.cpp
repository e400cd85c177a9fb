// SPDX-License-Identifier: Apache-2.0
#include "sim/graph/tflite/tflite_window.h"

#include <algorithm>

namespace okksim::sim::graph::tflite {

WindowAxis window_axis(std::int64_t input, std::int64_t kernel, std::int64_t stride,
                       std::int64_t dilation, wire::Padding padding) {
    WindowAxis axis{input, kernel, stride, dilation};
    const std::int64_t reach = (kernel - 1) * dilation + 1;
    if (padding == wire::Padding::SAME) {
        axis.output = (input + stride - 1) / stride;
        const std::int64_t total = (axis.output - 1) * stride + reach - input;
        axis.before = std::max<std::int64_t>(total, 0) / 2;
    } else {
        axis.output = input < reach ? 0 : (input - reach) / stride + 1;
    }
    const std::int64_t needed = (axis.output - 1) * stride + reach - axis.before;
    axis.used = std::clamp<std::int64_t>(needed, 0, input);
    axis.after = needed - axis.used;
    return axis;
}

std::int64_t transposed_before(std::int64_t output, std::int64_t kernel, std::int64_t stride,
                               wire::Padding padding) {
    return window_axis(output, kernel, stride, 1, padding).before;
}

}  // namespace okksim::sim::graph::tflite
