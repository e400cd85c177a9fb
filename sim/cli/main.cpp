// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <cstdio>

#include "isa/errors.h"
#include "isa/fault.h"
#include "sim/cli/commands.h"

namespace {

using namespace okksim;

int run(int argc, char** argv) {
    CLI::App app{"okksim: bit-exact, timed simulator of an OKK-class NPU", "okksim"};
    app.set_version_flag("--version", "okksim " OKKSIM_VERSION);
    app.require_subcommand(1);
    int exit_code = sim::cli::kSuccess;
    sim::cli::add_run_command(app, exit_code);
    sim::cli::add_plan_command(app, exit_code);
    sim::cli::add_coverage_command(app, exit_code);
    sim::cli::add_check_command(app, exit_code);
    sim::cli::add_kernel_command(app, exit_code);
    sim::cli::add_golden_command(app, exit_code);
    sim::cli::add_isa_command(app, exit_code);
    sim::cli::add_asm_command(app, exit_code);
    sim::cli::add_disasm_command(app, exit_code);
    sim::cli::add_machine_command(app, exit_code);
    sim::cli::add_bench_command(app, exit_code);
    sim::cli::add_conformance_command(app, exit_code);
    sim::cli::add_fidelity_command(app, exit_code);
    sim::cli::add_replay_command(app, exit_code);
    sim::cli::add_trace_command(app, exit_code);
    sim::cli::add_zoo_command(app, exit_code);
    sim::cli::add_baseline_command(app, exit_code);
    sim::cli::add_compare_command(app, exit_code);
    try {
        app.parse(argc, argv);
    } catch (const CLI::ParseError& error) {
        return app.exit(error) == 0 ? sim::cli::kSuccess : sim::cli::kUsage;
    }
    return exit_code;
}

}  // namespace

int main(int argc, char** argv) {
    try {
        return run(argc, argv);
    } catch (const ConfigError& error) {
        fmt::print(stderr, "okksim: {}\n", error.what());
        return sim::cli::kUsage;
    } catch (const ProgramFault& fault) {
        fmt::print(stderr, "okksim: {}\n", fault.what());
        return sim::cli::kProgramFault;
    } catch (const std::exception& error) {
        fmt::print(stderr, "okksim: {}\n", error.what());
        return sim::cli::kInternal;
    }
}
