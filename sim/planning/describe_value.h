// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "kernels/call/tensor.h"
#include "sim/graph/graph.h"
#include "sim/planning/storage_order.h"

namespace okksim::sim::planning {

/// A graph's tensor as kernels see it when it is stored in `order`; the address is left to the
/// planner. Its rank is at most kernels::kMaxRank.
kernels::DeviceTensor describe_value(const graph::Tensor& tensor, StorageOrder order);

}  // namespace okksim::sim::planning
