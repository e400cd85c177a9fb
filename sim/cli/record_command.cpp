// SPDX-License-Identifier: Apache-2.0
#include <memory>

#include "isa/base/errors.h"
#include "sim/cli/commands.h"

namespace okksim::sim::cli {
namespace {

struct RecordFlags {
    std::string trace;
    bool crc = false;
};

/// Runs `okksim run` or `okksim kernel` with the arguments that follow, and --record.
int record(const RecordFlags& flags, const std::vector<std::string>& command) {
    if (command.empty() || (command.front() != "run" && command.front() != "kernel")) {
        throw ConfigError(
            "record",
            "give the command to record after the file: run MODEL ... or kernel LIBRARY ...");
    }
    std::vector<std::string> arguments = command;
    arguments.insert(arguments.end(), {"--record", flags.trace});
    if (flags.crc) arguments.emplace_back("--record-crc");
    return run_program(std::move(arguments));
}

}  // namespace

void add_record_command(CLI::App& app, int& exit_code) {
    auto flags = std::make_shared<RecordFlags>();
    CLI::App* command = app.add_subcommand(
        "record",
        "Run a graph or a kernel and write its commands to FILE, for `okksim replay` and `okksim\n"
        "trace`. It is the same as --record FILE of the two commands. Examples:\n"
        "  okksim record net.trace run net/model.tosa\n"
        "  okksim record add.trace --crc kernel add.so --launch add --arg i32=64 ...");
    command->add_option("file", flags->trace, "command trace to write")->required();
    command->add_flag("--crc", flags->crc,
                      "also record the CRC of the bytes that each command writes");
    command->prefix_command();
    command->callback(
        [flags, command, &exit_code] { exit_code = record(*flags, command->remaining()); });
}

}  // namespace okksim::sim::cli
