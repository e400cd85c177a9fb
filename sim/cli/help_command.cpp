// SPDX-License-Identifier: Apache-2.0
// The commands help, completion and man.
#include <fmt/format.h>

#include <memory>

#include "isa/base/closest_word.h"
#include "isa/base/errors.h"
#include "isa/base/output_file.h"
#include "sim/cli/commands.h"
#include "sim/cli/grammar.h"
#include "sim/cli/output.h"
#include "sim/graph/folder.h"

namespace okksim::sim::cli {
namespace {

CLI::App& command_of(CLI::App& app, const std::vector<std::string>& path) {
    CLI::App* command = &app;
    for (const std::string& name : path) {
        std::vector<std::string> known;
        CLI::App* found = nullptr;
        for (CLI::App* inner : command->get_subcommands({})) {
            known.push_back(inner->get_name());
            if (inner->get_name() == name) found = inner;
        }
        if (found == nullptr) {
            throw ConfigError(name, "is no command" + did_you_mean(name, known));
        }
        command = found;
    }
    return *command;
}

void write_pages(CLI::App& app, const std::filesystem::path& folder) {
    graph::make_folder(folder);
    write_file((folder / "okksim.1").string(), manual_page(app, app));
    for (CLI::App* command : app.get_subcommands({})) {
        write_file((folder / ("okksim-" + command->get_name() + ".1")).string(),
                   manual_page(app, *command));
    }
}

}  // namespace

void add_help_command(CLI::App& app, int& exit_code) {
    auto path = std::make_shared<std::vector<std::string>>();
    CLI::App* command = app.add_subcommand(
        "help",
        "Print the help of a command, or of okksim itself. Example:\n  okksim help trace show");
    command->add_option("command", *path, "the command, e.g. run, or trace show");
    command->callback([&app, path, &exit_code] {
        exit_code = kSuccess;
        if (path->empty()) {
            // app.help() would return the help of the current command, which is this one.
            write_out(
                app.get_formatter()->make_help(&app, app.get_name(), CLI::AppFormatMode::Normal));
            return;
        }
        CLI::App& wanted = command_of(app, *path);
        // CLI11 adds the command's own name.
        std::string before;
        for (std::size_t i = 0; i < path->size(); ++i) {
            before += (i == 0 ? "okksim" : " " + path->at(i - 1));
        }
        write_out(wanted.help(before));
    });
}

void add_completion_command(CLI::App& app, int& exit_code) {
    auto shell = std::make_shared<std::string>();
    CLI::App* command = app.add_subcommand(
        "completion",
        "Print a shell's completion script. Example:\n"
        "  okksim completion bash > ~/.local/share/bash-completion/completions/okksim");
    command->add_option("shell", *shell, "bash or zsh")->required();
    command->callback([&app, shell, &exit_code] {
        write_out(completion_script(app, *shell));
        exit_code = kSuccess;
    });
}

void add_man_command(CLI::App& app, int& exit_code) {
    struct Flags {
        std::string command, out;
    };
    auto flags = std::make_shared<Flags>();
    CLI::App* command =
        app.add_subcommand("man", "Print a manual page. Example:\n  okksim man run | man -l -");
    command->add_option("command", flags->command, "the command; default: okksim itself");
    command->add_option("-o,--out", flags->out, "write all pages to this folder instead");
    command->callback([&app, flags, &exit_code] {
        if (!flags->out.empty()) {
            write_pages(app, flags->out);
        } else {
            CLI::App& wanted = flags->command.empty() ? app : command_of(app, {flags->command});
            write_out(manual_page(app, wanted));
        }
        exit_code = kSuccess;
    });
}

}  // namespace okksim::sim::cli
