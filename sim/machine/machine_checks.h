// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "models/chip/machine_params.h"

namespace okksim::sim {

/// Checks the rules between several parameters. Throws ConfigError with the key path, the value and
/// the rule.
void check_machine(const models::MachineParams& params);

}  // namespace okksim::sim
