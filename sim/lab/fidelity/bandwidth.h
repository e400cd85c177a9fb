// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "sim/machine/machine.h"

namespace okksim::sim::fidelity {

/// A published rate of the reference machine, and the same rate of a small kernel on the simulated
/// machine.
struct RateFigure {
    std::string name;
    std::string unit;
    double low = 0;  ///< published range; a single number if low == high
    double high = 0;
    double simulated = 0;
    std::string kernel;  ///< description of the kernel

    /// Returns the distance to the published range, relative to its nearer end; 0 inside the range.
    double error() const;
    bool met() const;
};

/// Largest error() of a rate that meets its target.
inline constexpr double kRateBar = 0.08;

/// Runs the kernels. They need 64 lanes of 512 KiB; a smaller machine causes a ProgramFault.
std::vector<RateFigure> measure_rates(const Machine& machine);

}  // namespace okksim::sim::fidelity
