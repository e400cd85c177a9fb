// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <string>

#include "sim/machine/machine.h"
#include "sim/trace/account.h"

namespace okksim::sim::trace {

/// Returns the account of a launch that loads the machine fully: convolutions keep every lane and
/// execution unit busy. Meanwhile the GDMA reads global memory until the convolutions end.
Account full_load(const models::MachineParams& machine);

/// Reports the power of full_load() by component, and the published power of the chip, if any.
std::string full_load_text(const Machine& machine);
nlohmann::ordered_json full_load_json(const Machine& machine);

}  // namespace okksim::sim::trace
