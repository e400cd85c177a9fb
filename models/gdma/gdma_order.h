// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "isa/tensors.h"
#include "models/memory/lane_walk.h"

namespace okksim::models {

/// True if some elements of the tensor may share bytes (stride 0, rows closer than their length),
/// so that the last write counts. `lanes` is 1 when no tensor of the command is in local memory.
bool repeats_addresses(const isa::TensorView& view, std::int32_t lanes);

/// True if a copy of whole pieces in any order may differ from a copy of single elements in
/// ascending (n, c, h, w) order.
bool copy_order_matters(const isa::TensorView& to, const WalkTensor& to_walk,
                        const isa::TensorView& from, const WalkTensor& from_walk,
                        const isa::MachineShape& machine);

}  // namespace okksim::models
