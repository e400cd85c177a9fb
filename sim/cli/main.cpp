// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <algorithm>
#include <cstdio>

#include "isa/errors.h"
#include "isa/fault.h"
#include "sim/cli/commands.h"
#include "sim/graph/mapped_file.h"

namespace okksim::sim::cli {

int run_program(std::vector<std::string> arguments) {
    CLI::App app{"okksim: bit-exact, timed simulator of an OKK-class NPU", "okksim"};
    app.set_version_flag("--version", "okksim " OKKSIM_VERSION);
    app.require_subcommand(1);
    int exit_code = kSuccess;
    add_run_command(app, exit_code);
    add_plan_command(app, exit_code);
    add_coverage_command(app, exit_code);
    add_convert_command(app, exit_code);
    add_check_command(app, exit_code);
    add_kernel_command(app, exit_code);
    add_golden_command(app, exit_code);
    add_isa_command(app, exit_code);
    add_asm_command(app, exit_code);
    add_disasm_command(app, exit_code);
    add_machine_command(app, exit_code);
    add_bench_command(app, exit_code);
    add_conformance_command(app, exit_code);
    add_fidelity_command(app, exit_code);
    add_record_command(app, exit_code);
    add_replay_command(app, exit_code);
    add_trace_command(app, exit_code);
    add_zoo_command(app, exit_code);
    add_baseline_command(app, exit_code);
    add_compare_command(app, exit_code);
    try {
        std::reverse(arguments.begin(), arguments.end());  // as CLI11 wants it
        app.parse(std::move(arguments));
    } catch (const CLI::ParseError& error) {
        return app.exit(error) == 0 ? kSuccess : kUsage;
    }
    return exit_code;
}

}  // namespace okksim::sim::cli

int main(int argc, char** argv) {
    using namespace okksim;
    sim::graph::explain_shortened_files(sim::cli::kUsage);
    try {
        return sim::cli::run_program({argv + 1, argv + argc});
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
