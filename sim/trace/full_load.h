// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <string>

#include "sim/machine/machine.h"
#include "sim/trace/account.h"

namespace okksim::sim::trace {

/// What a machine does in a launch of convolutions that keep every lane and execution unit busy,
/// while the data mover reads global memory as long as they take: its engines at their limit.
Account full_load(const models::MachineParams& machine);

/// Power of that by component, beside what is published of the chip, if anything.
std::string full_load_text(const Machine& machine);
nlohmann::ordered_json full_load_json(const Machine& machine);

}  // namespace okksim::sim::trace
