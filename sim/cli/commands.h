// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <CLI/CLI.hpp>
#include <string>
#include <vector>

namespace okksim::sim::cli {

/// Exit codes of the program.
enum ExitCode : int {
    kSuccess = 0,
    kDifferences = 1,   ///< a comparison failed
    kUsage = 2,         ///< wrong flags or files (ConfigError)
    kProgramFault = 3,  ///< the guest program broke a rule
    kInternal = 4,      ///< a bug of okksim
};

/// Parses the arguments after the program's name, executes them, and returns the exit code.
int run_program(std::vector<std::string> arguments);

/// Each function adds one subcommand, whose callback stores the exit code.
void add_asm_command(CLI::App& app, int& exit_code);
void add_baseline_command(CLI::App& app, int& exit_code);
void add_bench_command(CLI::App& app, int& exit_code);
void add_check_command(CLI::App& app, int& exit_code);
void add_compare_command(CLI::App& app, int& exit_code);
void add_completion_command(CLI::App& app, int& exit_code);
void add_conformance_command(CLI::App& app, int& exit_code);
void add_convert_command(CLI::App& app, int& exit_code);
void add_disasm_command(CLI::App& app, int& exit_code);
void add_fidelity_command(CLI::App& app, int& exit_code);
void add_gate_command(CLI::App& app, int& exit_code);
void add_golden_command(CLI::App& app, int& exit_code);
void add_help_command(CLI::App& app, int& exit_code);
void add_inspect_command(CLI::App& app, int& exit_code);
void add_isa_command(CLI::App& app, int& exit_code);
void add_kernel_command(CLI::App& app, int& exit_code);
void add_machine_command(CLI::App& app, int& exit_code);
void add_man_command(CLI::App& app, int& exit_code);
void add_manual_command(CLI::App& app, int& exit_code);
void add_plan_command(CLI::App& app, int& exit_code);
void add_record_command(CLI::App& app, int& exit_code);
void add_replay_command(CLI::App& app, int& exit_code);
void add_report_command(CLI::App& app, int& exit_code);
void add_why_command(CLI::App& app, int& exit_code);
void add_debug_command(CLI::App& app, int& exit_code);
void add_run_command(CLI::App& app, int& exit_code);
void add_sweep_command(CLI::App& app, int& exit_code);
void add_trace_command(CLI::App& app, int& exit_code);
void add_worth_command(CLI::App& app, int& exit_code);
void add_zoo_command(CLI::App& app, int& exit_code);

}  // namespace okksim::sim::cli
