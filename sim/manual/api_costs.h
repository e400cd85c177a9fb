// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "isa/command.h"
#include "sim/machine/machine.h"
#include "sim/manual/api_examples.h"

namespace okksim::sim::manual {

/// The commands that a call of the example's issues.
std::vector<isa::Command> commands_of(const ApiFunction& function, const ApiExample& example,
                                      const Machine& machine);

/// "cycles = n * P * U(h*w) * tensor_cycles", the law of a class of time with its parameters.
std::string law_text(isa::TimingClass timing);

/// What the commands take by themselves, in microseconds.
double price_us(const std::vector<isa::Command>& commands, const Machine& machine);

}  // namespace okksim::sim::manual
