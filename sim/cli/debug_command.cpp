// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>
#include <unistd.h>

#include <fstream>
#include <iostream>
#include <memory>

#include "isa/base/errors.h"
#include "isa/base/input_file.h"
#include "sim/cli/commands.h"
#include "sim/cli/output.h"
#include "sim/why/debug_session.h"

namespace okksim::sim::cli {
namespace {

struct DebugFlags {
    std::string recording;
    std::string script;
    std::vector<std::string> commands;
};

/// Reads commands until one ends the session. An error ends a script and names its line. At a
/// terminal, the error is printed and the session continues.
void follow(why::DebugSession& session, std::istream& input, const std::string& name,
            bool is_terminal) {
    input.exceptions(std::ios::badbit);  // e.g. no memory for a line
    bool goes_on = true;
    std::size_t number = 0;
    std::string line;
    while (goes_on) {
        if (is_terminal) format_out("> ");
        std::fflush(stdout);
        if (!std::getline(input, line)) return;
        ++number;
        try {
            write_text(session.execute(line, goes_on));
        } catch (const ConfigError& error) {
            if (!is_terminal) {
                throw ConfigError(fmt::format("{}, line {}", name, number), error.what());
            }
            format_out("{}\n", error.what());
        }
    }
}

int run(const DebugFlags& flags) {
    const why::Recording recording(flags.recording);
    print_error(recording.changed_libraries());
    const Machine machine = recording.machine();
    why::DebugSession session(recording, machine);
    bool goes_on = true;
    for (const std::string& command : flags.commands) {
        if (goes_on) write_out(session.execute(command, goes_on));
    }
    if (!flags.script.empty()) {
        std::ifstream script = open_input(flags.script, "give a file with commands");
        follow(session, script, flags.script, false);
    } else if (flags.commands.empty()) {
        const bool is_terminal = isatty(STDIN_FILENO) != 0;
        if (is_terminal)
            format_out("{} events; \"help\" lists the commands\n", recording.events().size());
        follow(session, std::cin, "standard input", is_terminal);
    }
    return kSuccess;
}

}  // namespace

void add_debug_command(CLI::App& app, int& exit_code) {
    auto flags = std::make_shared<DebugFlags>();
    CLI::App* command = app.add_subcommand(
        "debug",
        "Go forward and backward through a recorded run: by command, by line, by time, or back to "
        "the\n"
        "command that wrote an address; and look at memory there. The recording must have data\n"
        "(--record-data). Commands come from the terminal, standard input, a file, or -c;\n"
        "\"help\" explains them.\n"
        "  okksim kernel k.so --launch k --out y.npy:f32[64] --in x.npy \\\n"
        "    --record r --record-data\n"
        "  okksim debug r -c 'line kernel.c:12' -c 'print 0:0 f32[1,4,1,16]'\n"
        "  okksim debug r --script commands.txt");
    command->add_option("recording", flags->recording, "command trace with data")->required();
    command->add_option("--script", flags->script, "file with one command per line");
    command->add_option("-c,--command", flags->commands, "a command; may be given several times")
        ->allow_extra_args(false);
    command->callback([flags, &exit_code] { exit_code = run(*flags); });
}

}  // namespace okksim::sim::cli
