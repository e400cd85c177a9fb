// SPDX-License-Identifier: Apache-2.0
// commands.so: the commands that the program loads on demand.
#include "sim/cli/command_module.h"
#include "sim/cli/commands.h"

extern "C" void okksim_add_commands(CLI::App& app, int& exit_code) {
    using namespace okksim::sim::cli;
    add_inspect_command(app, exit_code);
    add_sweep_command(app, exit_code);
    add_report_command(app, exit_code);
    add_worth_command(app, exit_code);
    add_bench_command(app, exit_code);
    add_gate_command(app, exit_code);
    add_baseline_command(app, exit_code);
    add_compare_command(app, exit_code);
    add_fidelity_command(app, exit_code);
    add_manual_command(app, exit_code);
}

namespace okksim::sim::cli {

[[maybe_unused]] constexpr AddCommands kIsOfType = &okksim_add_commands;

}  // namespace okksim::sim::cli
