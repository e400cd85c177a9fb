// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "sim/trace/account.h"

namespace okksim::sim::trace {

/// Returns a sentence for each setting "section.key=value" whose unit has no activity in the run.
/// An example is "--set l2.bytes=1MiB: nothing in this run accesses L2-SRAM". The sentences are
/// facts of the account. Parameters without a row of their unit have no sentence.
std::vector<std::string> unused_parameters(const std::vector<std::string>& settings,
                                           const Account& account);

}  // namespace okksim::sim::trace
