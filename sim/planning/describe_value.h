// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "kernels/call/tensor.h"
#include "sim/graph/graph.h"
#include "sim/planning/storage_order.h"

namespace okksim::sim::planning {

/// Returns a graph's tensor as kernels see it if it is stored in `order`. The planner sets the
/// address later. The rank must be at most kernels::kMaxRank.
kernels::DeviceTensor describe_value(const graph::Tensor& tensor, StorageOrder order);

}  // namespace okksim::sim::planning
