// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "firmware/launch/context_options.h"
#include "isa/base/fault.h"
#include "sim/device/chip_device.h"
#include "sim/graph/graph.h"

namespace okksim::sim::execution {

/// Sets the limits of a launch that runs a graph. Only kernels of CUSTOM operators have a limit of
/// CPU time, because the other kernels always end. The numbers of commands and calls limit loops.
void set_limits(const graph::Graph& graph, const LaunchLimits& limits,
                firmware::ContextOptions& options);

/// Replaces the advice of a limit by one for graphs: commands that run graphs lack the flags of
/// `okksim kernel`.
void advise_for_graph(const LaunchLimits& limits, FaultRecord& fault);

}  // namespace okksim::sim::execution
