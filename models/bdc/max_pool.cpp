// SPDX-License-Identifier: Apache-2.0
#include "models/bdc/max_pool.h"

#include <cfloat>

#include "models/bdc/window_layer.h"

namespace okksim::models {

void execute_max_pool(const isa::Pool& operands, LocalMemory& memory, LanePool& pool) {
    bdc::WindowLayer layer;
    layer.output_addr = operands.output_addr;
    layer.input_addr = operands.input_addr;
    layer.input_shape = operands.input_shape;
    layer.kernel_h = operands.kernel_h;
    layer.kernel_w = operands.kernel_w;
    layer.padding = operands.padding;
    layer.stride = operands.stride;
    layer.operation = bdc::WindowOperation::kMaximum;
    layer.pad_value = -FLT_MAX;
    bdc::execute_window_layer(layer, memory, pool);
}

}  // namespace okksim::models
