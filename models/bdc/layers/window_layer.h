// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>

#include "isa/types.h"
#include "models/bdc/layers/window_kernels.h"
#include "models/common/lane_pool.h"
#include "models/memory/local_memory.h"

namespace okksim::models::bdc {

/// A command that slides a window over every channel on its own: depthwise convolution and the
/// pools. Feature maps are in the 128-byte aligned layout, weights and bias in the compact layout.
struct WindowLayer {
    isa::LocalAddr output_addr;
    isa::LocalAddr input_addr;
    isa::Dim4 input_shape;
    std::int32_t kernel_h = 1;
    std::int32_t kernel_w = 1;
    isa::Padding padding;
    isa::Dim2 stride{1, 1};
    isa::Dim2 dilation{1, 1};

    WindowOperation operation = WindowOperation::kSum;
    float factor = 1.0f;     ///< every input is multiplied by it first
    float pad_value = 0.0f;  ///< multiplied like an input
    std::optional<isa::LocalAddr> weight_addr;
    std::optional<isa::LocalAddr> bias_addr;
};

/// Returns the window and the tensors of a command; the caller adds the operation.
template <typename Operands>
WindowLayer window_layer(const Operands& operands) {
    WindowLayer layer;
    layer.output_addr = operands.output_addr;
    layer.input_addr = operands.input_addr;
    layer.input_shape = operands.input_shape;
    layer.kernel_h = operands.kernel_h;
    layer.kernel_w = operands.kernel_w;
    layer.padding = operands.padding;
    layer.stride = operands.stride;
    return layer;
}

/// Operands that overlap the output are read as they were before the command.
void execute_window_layer(const WindowLayer& layer, LocalMemory& memory, LanePool& pool);

}  // namespace okksim::models::bdc
