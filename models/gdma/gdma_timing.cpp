// SPDX-License-Identifier: Apache-2.0
#include "models/gdma/gdma_timing.h"

#include <algorithm>
#include <cmath>

#include "isa/tensors.h"

namespace okksim::models {
namespace {

/// Contiguous runs of a tensor view: dimensions merge from the innermost outwards while the next
/// stride continues the run.
std::uint64_t contiguous_runs(const isa::TensorView& view) {
    const std::int64_t extents[] = {view.shape.w, view.shape.h,
                                    view.local ? std::int64_t{1} : view.shape.c, view.shape.n};
    const std::int64_t strides[] = {view.stride.w, view.stride.h, view.stride.c, view.stride.n};
    std::int64_t run = 1;
    int dimension = 0;
    for (; dimension < 4; ++dimension) {
        if (extents[dimension] != 1 && strides[dimension] != run) break;
        run *= extents[dimension];
    }
    return view.element_count() / static_cast<std::uint64_t>(run);
}

}  // namespace

GdmaCost gdma_cost(const isa::Command& command, const isa::MachineShape& machine,
                   const GdmaParams& params) {
    GdmaCost cost;
    cost.setup = {params.setup_cycles};
    double bytes_per_cycle = params.local_bytes_per_cycle;
    for (const isa::TensorView& view : isa::tensor_views(command, machine)) {
        cost.bytes = view.element_count() * static_cast<std::uint64_t>(view.element_bytes);
        if (view.local) {
            continue;
        }
        bytes_per_cycle = std::min(bytes_per_cycle, params.system_bytes_per_cycle);
        cost.pieces = std::max(cost.pieces, contiguous_runs(view));
        if (view.access == isa::Access::kRead) {
            cost.read_address = view.system_addr.value();
        } else {
            cost.write_address = view.system_addr.value();
        }
    }
    const double stream = static_cast<double>(cost.bytes) / bytes_per_cycle;
    const double pieces = static_cast<double>(cost.pieces) * params.piece_cycles;
    cost.transfer = {static_cast<std::int64_t>(std::ceil(std::max(stream, pieces)))};
    return cost;
}

}  // namespace okksim::models
