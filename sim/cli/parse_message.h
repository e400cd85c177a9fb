// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <CLI/CLI.hpp>
#include <string>
#include <vector>

namespace okksim::sim::cli {

/// Returns a message about arguments that CLI11 has refused: the command, the argument, the rule
/// and what to do. `arguments` are those of the program.
std::string parse_message(const CLI::App& app, const CLI::ParseError& error,
                          const std::vector<std::string>& arguments);

}  // namespace okksim::sim::cli
