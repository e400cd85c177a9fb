// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include "models/common/units.h"
#include "sim/bound/least_port.h"
#include "sim/graph/graph.h"
#include "sim/pricing/machine_host.h"

namespace okksim::sim::bound {

/// A separate step that reorders a feature map [N, H, W, C] of 32-bit elements.
enum class Reorder : std::uint8_t {
    kChannelFirst,  ///< from row major
    kRowMajor,      ///< from channel first
};

/// Returns the copies that kernels can use for the reorder, each with its commands in sequence.
/// Source and destination addresses suit the GDMA and all memory channels.
std::vector<LeastWork> reorder_works(const graph::TensorShape& shape, Reorder reorder,
                                     pricing::MachineHost& host);
/// Returns the time of the fastest of them.
models::Picoseconds reorder_time(const graph::TensorShape& shape, Reorder reorder,
                                 pricing::MachineHost& host);

}  // namespace okksim::sim::bound
