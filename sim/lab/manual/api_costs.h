// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "isa/command.h"
#include "sim/lab/manual/api_examples.h"
#include "sim/machine/machine.h"

namespace okksim::sim::manual {

/// Returns the commands that the example's call issues.
std::vector<isa::Command> commands_of(const ApiFunction& function, const ApiExample& example,
                                      const Machine& machine);

/// Returns a timing class's cost formula with its parameters, e.g. "cycles = n * P * U(h*w) *
/// tensor_cycles".
std::string law_text(isa::TimingClass timing);

/// Returns the microseconds of the commands on an idle machine.
double price_us(const std::vector<isa::Command>& commands, const Machine& machine);

}  // namespace okksim::sim::manual
