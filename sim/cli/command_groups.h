// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <span>
#include <vector>

namespace okksim::sim::cli {

/// Commands with one purpose.
struct CommandGroup {
    const char* title;
    std::vector<const char*> commands;
};

/// Returns the groups in the order of help.
std::span<const CommandGroup> command_groups();

}  // namespace okksim::sim::cli
