// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "sim/machine/machine.h"

namespace okksim::sim::fidelity {

/// A published figure of the reference machine and the same figure from a small kernel on the
/// simulated one.
struct RateFigure {
    std::string name;
    std::string unit;
    double low = 0;  ///< published range; one number when low == high
    double high = 0;
    double simulated = 0;
    std::string kernel;  ///< what was run

    /// Distance to the published range, relative to its nearer end; 0 inside it.
    double error() const;
    bool met() const;
};

/// How far outside its published range a figure may be.
inline constexpr double kRateBar = 0.08;

/// Runs the kernels. They use 64 lanes of 512 KiB and fault on machines that are too small for
/// them, which throws ProgramFault.
std::vector<RateFigure> measure_rates(const Machine& machine);

}  // namespace okksim::sim::fidelity
