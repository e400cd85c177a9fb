// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <CLI/CLI.hpp>
#include <span>
#include <string>
#include <vector>

/// What all commands have in common, drawn from the one description that CLI11 holds of them: names
/// of values, groups, width, suggestions, and from it help, shell completion and manual pages.
namespace okksim::sim::cli {

/// Commands of one purpose.
struct CommandGroup {
    const char* title;
    std::vector<const char*> commands;
};

/// In the order of help.
std::span<const CommandGroup> command_groups();

/// To be called when all commands are there.
void apply_grammar(CLI::App& app);

/// ConfigError when a word stands where a command must stand, and is none.
void refuse_unknown_command(const CLI::App& app, const std::vector<std::string>& arguments);

/// What a user who wrote `arguments` may have meant: "; did you mean ...", or nothing.
std::string suggestion(const CLI::App& app, const std::vector<std::string>& arguments);

/// Columns of the terminal that standard output is, or of COLUMNS; 80 otherwise.
std::size_t terminal_width();

/// Completion script of "bash" or "zsh". ConfigError for other shells.
std::string completion_script(const CLI::App& app, const std::string& shell);

/// Manual page of a command, or of the program for `app` itself, in roff.
std::string manual_page(const CLI::App& app, const CLI::App& command);

/// Long names of a command's options that help shows: "--out", ...
std::vector<std::string> flag_names(const CLI::App& command);

}  // namespace okksim::sim::cli
