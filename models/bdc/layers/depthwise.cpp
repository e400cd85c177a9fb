// SPDX-License-Identifier: Apache-2.0
#include "models/bdc/layers/depthwise.h"

#include "models/bdc/layers/window_layer.h"

namespace okksim::models {

void execute_depthwise(const isa::Depthwise& operands, LocalMemory& memory, LanePool& pool) {
    bdc::WindowLayer layer = bdc::window_layer(operands);
    layer.dilation = operands.dilation;
    layer.operation = bdc::WindowOperation::kWeightedSum;
    layer.weight_addr = operands.weight_addr;
    if (operands.using_bias != 0) layer.bias_addr = operands.bias_addr;
    bdc::execute_window_layer(layer, memory, pool);
}

void execute_average_pool(const isa::PoolScaled& operands, LocalMemory& memory, LanePool& pool) {
    const FlushDenormals mode;
    bdc::WindowLayer layer = bdc::window_layer(operands);
    layer.operation = bdc::WindowOperation::kSum;
    // All weights are equal, so every input has one product whichever window it is in.
    layer.factor = operands.scale.as_float();
    bdc::execute_window_layer(layer, memory, pool);
}

void execute_average_pool(const isa::Pool& operands, LocalMemory& memory, LanePool& pool) {
    isa::PoolScaled scaled;
    scaled.output_addr = operands.output_addr;
    scaled.input_addr = operands.input_addr;
    scaled.input_shape = operands.input_shape;
    const auto taps = static_cast<float>(std::int64_t{operands.kernel_h} * operands.kernel_w);
    scaled.scale = isa::Bits32::from(1.0f / taps);
    scaled.kernel_h = operands.kernel_h;
    scaled.kernel_w = operands.kernel_w;
    scaled.padding = operands.padding;
    scaled.stride = operands.stride;
    execute_average_pool(scaled, memory, pool);
}

}  // namespace okksim::models
