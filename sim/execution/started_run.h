// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "sim/execution/operator_profile.h"
#include "sim/trace/run_observers.h"

namespace okksim::sim::execution {

class GraphExecutor;

/// A run of a graph that is about to begin.
struct StartedRun {
    trace::ObservedMachine machine;
    const OperatorProfile& profile;     ///< attributes commands to operators
    GraphExecutor* executor = nullptr;  ///< nullptr: a run without data
};

}  // namespace okksim::sim::execution
