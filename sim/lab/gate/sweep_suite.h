// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

namespace okksim::sim::gate {

/// A sweep of the gate: a small network on a few machines.
struct GateSweep {
    std::string name;
    std::string spec;  ///< specification (sim/study/sweep/README.md) with one workload
};
const std::vector<GateSweep>& gate_sweeps();

}  // namespace okksim::sim::gate
