// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <CLI/CLI.hpp>
#include <string>
#include <vector>

/// The common form of all commands: names of values, groups, width and suggestions. It derives from
/// CLI11's description, and so do help, shell completion and manual pages.
namespace okksim::sim::cli {

/// Call it after adding all commands.
void apply_grammar(CLI::App& app);

/// Throws ConfigError if the word in the position of a command is not a command.
void refuse_unknown_command(const CLI::App& app, const std::vector<std::string>& arguments);

/// Returns a suggestion for wrong `arguments`: "; did you mean ...", or an empty text.
std::string suggestion(const CLI::App& app, const std::vector<std::string>& arguments);

/// Returns the columns of the terminal at standard output, or of COLUMNS; otherwise 80.
std::size_t terminal_width();

/// Returns the completion script of "bash" or "zsh". Throws ConfigError for other shells.
std::string completion_script(const CLI::App& app, const std::string& shell);

/// Returns the manual page of a command in roff; `app` itself stands for the program.
std::string manual_page(const CLI::App& app, const CLI::App& command);

/// Returns the long names of a command's options in help: "--out", ...
std::vector<std::string> flag_names(const CLI::App& command);

}  // namespace okksim::sim::cli
