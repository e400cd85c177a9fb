// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <span>
#include <string>

#include "sim/machine/machine.h"
#include "sim/study/gate/time_record.h"
#include "sim/trace/account.h"

namespace okksim::sim::gate {

/// Returns the record of a run without operators and outputs.
TimeRecord time_record_of(const std::string& name, const Machine& machine,
                          const trace::Account& account);
/// Returns the commands of all engines, the DRAM traffic and the energy. The energy has twelve
/// digits: further ones depend on the host's power function.
RunTotals totals_of(const trace::Account& account, const Machine& machine);
/// Returns the hash of an output (OutputHash).
std::string hash_of(std::span<const std::byte> bytes);

}  // namespace okksim::sim::gate
