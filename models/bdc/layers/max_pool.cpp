// SPDX-License-Identifier: Apache-2.0
#include "models/bdc/layers/max_pool.h"

#include <cfloat>

#include "models/bdc/layers/window_layer.h"

namespace okksim::models {

void execute_max_pool(const isa::Pool& operands, LocalMemory& memory, LanePool& pool) {
    bdc::WindowLayer layer = bdc::window_layer(operands);
    layer.operation = bdc::WindowOperation::kMaximum;
    layer.pad_value = -FLT_MAX;
    bdc::execute_window_layer(layer, memory, pool);
}

}  // namespace okksim::models
