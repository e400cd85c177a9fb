// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include "models/common/units.h"
#include "sim/bound/least_port.h"
#include "sim/graph/graph.h"
#include "sim/pricing/machine_host.h"

namespace okksim::sim::bound {

/// A map [N, H, W, C] of 32-bit elements put in the other order, in a step of its own.
enum class Reorder : std::uint8_t {
    kChannelFirst,  ///< from row major
    kRowMajor,      ///< from channel first
};

/// The moves that kernels have for it: commands one after the other, from and to places that suit
/// the data mover and all channels of memory alike.
std::vector<LeastWork> reorder_works(const graph::TensorShape& shape, Reorder reorder,
                                     pricing::MachineHost& host);
/// The least time of these.
models::Picoseconds reorder_time(const graph::TensorShape& shape, Reorder reorder,
                                 pricing::MachineHost& host);

}  // namespace okksim::sim::bound
