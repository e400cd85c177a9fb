// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>
#include <unistd.h>

#include <memory>

#include "firmware/host/report_json.h"
#include "isa/errors.h"
#include "isa/fault.h"
#include "sim/cli/commands.h"
#include "sim/cli/common_options.h"
#include "sim/cli/output.h"
#include "sim/fidelity/fitted_parameters.h"
#include "sim/fidelity/networks.h"
#include "sim/fidelity/report.h"

namespace okksim::sim::cli {
namespace {

namespace fs = std::filesystem;

struct FidelityFlags {
    std::string folder;
    std::string silicon;
    std::string json;
    std::string markdown;
    MachineChoice machine;
    int jobs = 0;
    bool quick = false;
    bool strict = false;
};

/// A file with silicon times: where the flag says, inside the folder, or in a folder "silicon"
/// beside it. Empty when there is none.
fs::path find_silicon(const FidelityFlags& flags, const char* name) {
    const fs::path folder = fs::absolute(flags.folder).lexically_normal();
    std::vector<fs::path> places;
    if (!flags.silicon.empty()) {
        places = {flags.silicon};
    } else {
        places = {folder, folder / "silicon", folder.parent_path() / "silicon",
                  folder.parent_path().parent_path() / "silicon"};
    }
    for (const fs::path& place : places) {
        if (fs::exists(place / name)) return place / name;
    }
    return {};
}

int jobs(const FidelityFlags& flags) {
    return flags.jobs > 0 ? flags.jobs : static_cast<int>(sysconf(_SC_NPROCESSORS_ONLN));
}

fidelity::ContestReport run_contest(const FidelityFlags& flags, const fs::path& traces,
                                    const fs::path& leaderboard,
                                    const std::vector<Machine>& machines) {
    fidelity::ContestOptions options;
    options.traces = traces;
    options.leaderboard = leaderboard;
    options.machines = machines;
    options.jobs = jobs(flags);
    const Progress progress("traces");
    return fidelity::run_contest(
        options, [&](std::size_t done, std::size_t all) { progress.show(done, all); });
}

std::vector<fidelity::NetworkFigure> run_networks(const FidelityFlags& flags,
                                                  const fs::path& networks_csv,
                                                  const Machine& machine) {
    const Progress progress("networks");
    return fidelity::run_networks(
        networks_csv, machine, jobs(flags),
        [&](std::size_t done, std::size_t all) { progress.show(done, all); });
}

std::vector<fidelity::Sensitivity> sensitivities(const Machine& machine,
                                                 const fidelity::FidelityReport& report,
                                                 bool perturbed) {
    std::vector<fidelity::Sensitivity> rows;
    std::size_t next = 1;
    for (const fidelity::FittedParameter& parameter : fidelity::fitted_parameters()) {
        fidelity::Sensitivity row{parameter.path,
                                  fidelity::parameter_value(machine, parameter.path),
                                  parameter.low,
                                  parameter.high,
                                  parameter.meaning,
                                  {},
                                  {}};
        if (report.contest && perturbed) {
            row.error_lower = report.contest->figures(next).mean_absolute_error;
            row.error_higher = report.contest->figures(next + 1).mean_absolute_error;
            next += 2;
        }
        rows.push_back(std::move(row));
    }
    return rows;
}

fidelity::FidelityReport make_report(const FidelityFlags& flags) {
    const fs::path folder = flags.folder;
    if (!fs::is_directory(folder)) {
        throw ConfigError(flags.folder, "is not a folder with estimator/ and traces/");
    }
    fidelity::FidelityReport report;
    const std::vector<Machine> machines =
        flags.quick ? std::vector{flags.machine.load()}
                    : fidelity::perturbed_machines(flags.machine.machine, flags.machine.settings);
    report.machine = machines.front();
    if (fs::is_directory(folder / "estimator")) {
        report.estimator = fidelity::compare_with_estimator(folder / "estimator", report.machine);
    } else {
        report.notes.push_back("no folder estimator: part (a) was not run");
    }
    if (fs::is_directory(folder / "traces")) {
        const fs::path leaderboard = find_silicon(flags, "leaderboard.csv");
        if (leaderboard.empty() && !flags.silicon.empty()) {
            throw ConfigError("--silicon " + flags.silicon, "has no leaderboard.csv");
        }
        if (leaderboard.empty()) {
            report.notes.push_back("no leaderboard.csv: silicon times are those of summary.csv");
        }
        report.contest = run_contest(flags, folder / "traces", leaderboard, machines);
    } else {
        report.notes.push_back("no folder traces: part (b) was not run");
    }
    if (!report.estimator && !report.contest) {
        throw ConfigError(flags.folder, "holds neither estimator/ nor traces/");
    }
    try {
        report.rates = fidelity::measure_rates(report.machine);
    } catch (const ProgramFault& fault) {
        report.notes.push_back(std::string("part (c) does not fit this machine: ") + fault.what());
    }
    if (const fs::path networks = find_silicon(flags, "networks.csv");
        !flags.quick && !networks.empty()) {
        report.networks = run_networks(flags, networks, report.machine);
    }
    report.fitted = sensitivities(report.machine, report, !flags.quick);
    return report;
}

int run(const FidelityFlags& flags) {
    const fidelity::FidelityReport report = make_report(flags);
    const nlohmann::ordered_json json = fidelity::to_json(report);
    if (!flags.markdown.empty()) {
        write_file("--markdown", flags.markdown, fidelity::to_markdown(report));
    }
    if (flags.json == "-") {
        print_json(json);
    } else {
        fmt::print("{}", fidelity::to_text(report));
        if (!flags.json.empty()) {
            write_file("--json", flags.json, firmware::host::json_text(json));
        }
    }
    return flags.strict && !report.met() ? kDifferences : kSuccess;
}

}  // namespace

void add_fidelity_command(CLI::App& app, int& exit_code) {
    auto flags = std::make_shared<FidelityFlags>();
    CLI::App* command = app.add_subcommand(
        "fidelity",
        "Hold the machine's times against what is known of the chip: (a) every instruction class "
        "against\nan independent estimator's tables, (b) recorded contest kernels against the best "
        "time of each case\non silicon, (c) published rates, reproduced by small kernels, (d) "
        "networks of the zoo.\nPrints each figure, its bar and whether it is met, and how the "
        "error "
        "of (b) moves with each fitted number.\n"
        "DIR holds estimator/*.csv and traces/*.jsonl.xz with summary.csv; leaderboard.csv and "
        "networks.csv are\nlooked for in DIR, DIR/silicon and DIR/../silicon. Traces that are "
        "missing are listed as absent. Examples:\n"
        "  okksim fidelity timing --json report.json\n"
        "  okksim fidelity timing --quick --set bdc.startup_cycles=1000");
    command->add_option("folder", flags->folder, "DIR with estimator/ and traces/")->required();
    command->add_option("--silicon", flags->silicon, "folder with leaderboard.csv");
    command->add_option("--json", flags->json,
                        "also write the report as JSON to this file; - prints it instead of text");
    command->add_option("--markdown", flags->markdown,
                        "also write the report as a page to this file");
    add_machine_options(*command, flags->machine);
    command->add_option("--jobs,-j", flags->jobs, "processes; 0: one per host core")
        ->check(CLI::Range(0, 256))
        ->capture_default_str();
    command->add_flag("--quick", flags->quick,
                      "leave out networks and the sensitivity of the fitted numbers");
    command->add_flag("--strict", flags->strict, "exit code 1 when a bar is not met");
    command->callback([flags, &exit_code] { exit_code = run(*flags); });
}

}  // namespace okksim::sim::cli
