// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <span>
#include <string>
#include <vector>

#include "sim/fidelity/fit.h"
#include "sim/machine/machine.h"

namespace okksim::sim::fidelity {

/// A number of the reference machine that was fitted to recorded kernels and their silicon times.
struct FittedParameter {
    const char* path;  ///< "bdc.startup_cycles"
    double low;        ///< plausible range
    double high;
    const char* meaning;      ///< what it stands for in the chip, and what bounds it
    Grid grid = Grid::kReal;  ///< values that a fit may try
};

/// Most numbers that may be fitted.
inline constexpr std::size_t kMostFitted = 22;

/// All of them; every parameter whose source in the machine file says "fitted" is here.
std::span<const FittedParameter> fitted_parameters();

/// The machine and, for each fitted parameter, one with the value 10 % lower and one 10 % higher:
/// 2 * n + 1 machines.
std::vector<Machine> perturbed_machines(const std::string& machine,
                                        const std::vector<std::string>& settings);

/// The machine with other values of some parameters, in their order.
Machine fitted_machine(const std::string& machine, const std::vector<std::string>& settings,
                       std::span<const FittedParameter> parameters, const Values& values);

/// Value of a parameter of a machine. ConfigError when there is no such parameter.
double parameter_value(const Machine& machine, const std::string& path);

}  // namespace okksim::sim::fidelity
