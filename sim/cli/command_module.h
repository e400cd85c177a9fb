// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <CLI/CLI.hpp>
#include <string>

/// Subcommands in a library that the program loads only when the user calls one of them. These are
/// studies (`inspect`, `sweep`, `worth`, `report`) and the project's own instruments (`bench`,
/// `baseline`, `compare`, `fidelity`, `manual`). A build of the program alone (`make run`) compiles
/// none of them.
namespace okksim::sim::cli {

/// The function of commands.so that adds its commands.
using AddCommands = void (*)(CLI::App& app, int& exit_code);
constexpr const char* kAddCommandsName = "okksim_add_commands";

/// True if the word is the name of a command in commands.so.
bool is_module_command(const std::string& word);

/// Adds the commands of commands.so, which is in the folder `okksim` next to libokksim. Adds
/// nothing if this build has no such file.
void add_module_commands(CLI::App& app, int& exit_code);

}  // namespace okksim::sim::cli
