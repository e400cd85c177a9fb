// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <span>
#include <string>
#include <vector>

#include "sim/lab/fidelity/fit.h"
#include "sim/machine/machine.h"

namespace okksim::sim::fidelity {

/// A number of the reference machine that was fitted to recorded kernels and their silicon times.
struct FittedParameter {
    const char* path;  ///< "bdc.startup_cycles"
    double low;        ///< plausible range
    double high;
    const char* meaning;      ///< its meaning in the chip, and the reason for its range
    Grid grid = Grid::kReal;  ///< values that a fit may try
};

/// Maximum number of fitted parameters.
inline constexpr std::size_t kMostFitted = 22;

/// Returns all fitted parameters: every parameter whose source in the machine file is "fitted".
std::span<const FittedParameter> fitted_parameters();

/// Returns 2 * n + 1 machines: the machine itself, and for each fitted parameter one with its value
/// 10 % lower and one 10 % higher.
std::vector<Machine> perturbed_machines(const std::string& machine,
                                        const std::vector<std::string>& settings);

/// Returns the machine with these values of the parameters, in the same order.
Machine fitted_machine(const std::string& machine, const std::vector<std::string>& settings,
                       std::span<const FittedParameter> parameters, const Values& values);

/// Returns the value of a machine's parameter. Throws ConfigError if there is no such parameter.
double parameter_value(const Machine& machine, const std::string& path);

}  // namespace okksim::sim::fidelity
