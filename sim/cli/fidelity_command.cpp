// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <algorithm>
#include <cstdio>
#include <functional>
#include <memory>

#include "firmware/host/report_json.h"
#include "isa/base/errors.h"
#include "isa/base/fault.h"
#include "isa/base/output_file.h"
#include "isa/base/stop_request.h"
#include "sim/cli/commands.h"
#include "sim/cli/common_options.h"
#include "sim/cli/output.h"
#include "sim/cli/report_output.h"
#include "sim/lab/fidelity/contest_operators.h"
#include "sim/lab/fidelity/cross_validation.h"
#include "sim/lab/fidelity/estimator_tables.h"
#include "sim/lab/fidelity/fidelity_networks.h"
#include "sim/lab/fidelity/fitted_parameters.h"
#include "sim/lab/fidelity/int8_laws.h"
#include "sim/lab/fidelity/int8_networks.h"
#include "sim/lab/fidelity/report.h"

namespace okksim::sim::cli {
namespace {

namespace fs = std::filesystem;

/// Number of ensemble members. Among the members that have not seen a case, the middle 80 % must
/// leave about two on either side.
constexpr std::size_t kEnsembleMembers = 32;

struct FidelityFlags {
    std::string folder;
    std::string silicon;
    ReportForms report;
    std::string markdown;
    MachineChoice machine;
    int jobs = 0;
    bool quick = false;
    bool cross_validate = false;
    std::string ensemble;
    std::vector<std::string> also_fit;
    bool strict = false;
};

/// Finds a file with silicon times in the flag's folder. Without the flag, searches the data folder
/// and folders "silicon" in it, next to it, and next to its parent. Returns an empty path if there
/// is none.
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

/// Returns the folders of recorded kernels: the one that the limits are for, and a further one.
std::vector<fs::path> trace_folders(const FidelityFlags& flags) {
    return {fs::path(flags.folder) / "traces", fs::path(flags.folder) / "traces_more"};
}

fidelity::ContestReport run_contest(const FidelityFlags& flags, const fs::path& leaderboard,
                                    const std::vector<Machine>& machines) {
    fidelity::ContestOptions options;
    options.traces = trace_folders(flags);
    options.leaderboard = leaderboard;
    options.history = find_silicon(flags, "contest_history.csv");
    options.machines = machines;
    options.jobs = process_count(flags.jobs);
    const Progress progress("traces");
    return fidelity::run_contest(
        options, [&](std::size_t done, std::size_t all) { progress.show(done, all); });
}

std::vector<fidelity::NetworkFigure> run_networks(const FidelityFlags& flags,
                                                  const fs::path& networks_csv,
                                                  const Machine& machine) {
    const Progress progress("networks");
    return fidelity::run_networks(
        networks_csv, machine, process_count(flags.jobs),
        [&](std::size_t done, std::size_t all) { progress.show(done, all); });
}

fidelity::Sensitivity described(const fidelity::FittedParameter& parameter,
                                const Machine& machine) {
    fidelity::Sensitivity row;
    row.path = parameter.path;
    row.value = fidelity::parameter_value(machine, parameter.path);
    row.low = parameter.low;
    row.high = parameter.high;
    row.meaning = parameter.meaning;
    return row;
}

std::vector<fidelity::Sensitivity> sensitivities(const Machine& machine,
                                                 const fidelity::FidelityReport& report,
                                                 bool perturbed) {
    std::vector<fidelity::Sensitivity> rows;
    std::size_t next = 1;
    for (const fidelity::FittedParameter& parameter : fidelity::fitted_parameters()) {
        fidelity::Sensitivity row = described(parameter, machine);
        if (report.contest && perturbed) {
            row.error_lower = report.contest->figures(next).mean_absolute_error;
            row.error_higher = report.contest->figures(next + 1).mean_absolute_error;
            next += 2;
        }
        rows.push_back(std::move(row));
    }
    return rows;
}

/// Parses "section.key=LOW:HIGH". The result refers to `path`.
fidelity::FittedParameter free_parameter(const std::string& text, const Machine& machine,
                                         std::string& path) {
    double low = 0;
    double high = 0;
    int end = 0;
    const std::size_t equals = text.find('=');
    if (equals == std::string::npos ||
        std::sscanf(text.c_str() + equals + 1, "%lf:%lf%n", &low, &high, &end) != 2 ||
        equals + 1 + static_cast<std::size_t>(end) != text.size() || !(low <= high)) {
        throw ConfigError("--also-fit " + text,
                          "expected section.key=LOW:HIGH, e.g. bdc.bank_conflict_cycles=0:4");
    }
    path = text.substr(0, equals);
    fidelity::parameter_value(machine, path);  // throws if there is none
    const bool real = std::any_of(machine.parameters.begin(), machine.parameters.end(),
                                  [&](const ParameterRecord& record) {
                                      return record.path == path_of_today(path) &&
                                             record.value.find('.') != std::string::npos;
                                  });
    return {path.c_str(), low, high, "--also-fit",
            real ? fidelity::Grid::kReal : fidelity::Grid::kWhole};
}

void cross_validate(const FidelityFlags& flags, fidelity::FidelityReport& report) {
    const auto listed = fidelity::fitted_parameters();
    std::vector<fidelity::FittedParameter> parameters(listed.begin(), listed.end());
    std::vector<std::string> paths(flags.also_fit.size());
    for (std::size_t i = 0; i < paths.size(); ++i) {
        parameters.push_back(free_parameter(flags.also_fit[i], report.machine, paths[i]));
    }
    const Progress progress("fits");
    report.cross_validation = fidelity::cross_validate(
        *report.contest, flags.machine.machine, flags.machine.settings, parameters,
        process_count(flags.jobs),
        [&](std::size_t done, std::size_t all) { progress.show(done, all); },
        flags.ensemble.empty() ? 0 : kEnsembleMembers);
    if (!flags.ensemble.empty()) {
        OutputFile file("--ensemble " + flags.ensemble, flags.ensemble);
        file << fidelity::ensemble_text(*report.cross_validation, parameters, report.machine);
        file.commit();
    }
    for (std::size_t i = report.fitted.size(); i < parameters.size(); ++i) {
        report.fitted.push_back(described(parameters[i], report.machine));
    }
    for (std::size_t i = 0; i < parameters.size(); ++i) {
        report.fitted[i].refitted = report.cross_validation->numbers[i];
    }
}

/// Adds a part to the report. If a stop request comes before `make` is complete, adds a note that
/// the part is missing.
void add_part(fidelity::FidelityReport& report, const std::string& name,
              const std::function<void()>& make) {
    try {
        StopRequest::check();
        make();
    } catch (const ProgramFault&) {
        if (StopRequest::signal() == 0) throw;
        report.notes.push_back(name + " was not run: " + StopRequest::text());
    }
}

void add_estimator(const FidelityFlags& flags, fidelity::FidelityReport& report) {
    const fs::path folder = fs::path(flags.folder) / "estimator";
    if (!fs::is_directory(folder)) {
        report.notes.push_back("no folder estimator: part (a) was not run");
        return;
    }
    report.estimator = fidelity::compare_with_estimator(folder, report.machine);
}

/// `machines` starts with the report's machine; the ensemble's members start at index
/// `first_member`.
void add_contest(const FidelityFlags& flags, const std::vector<Machine>& machines,
                 const std::optional<Ensemble>& ensemble, std::size_t first_member,
                 fidelity::FidelityReport& report) {
    if (std::ranges::none_of(trace_folders(flags),
                             [](const fs::path& folder) { return fs::is_directory(folder); })) {
        report.notes.push_back("no folder traces: part (b) was not run");
        return;
    }
    const fs::path leaderboard = find_silicon(flags, "leaderboard.csv");
    if (leaderboard.empty() && !flags.silicon.empty()) {
        throw ConfigError("--silicon " + flags.silicon, "has no leaderboard.csv");
    }
    if (leaderboard.empty()) {
        report.notes.push_back("no leaderboard.csv: the silicon times come from summary.csv");
    }
    fidelity::ContestReport contest = run_contest(flags, leaderboard, machines);
    StopRequest::check();
    report.contest = std::move(contest);
    if (!ensemble) return;
    report.bands = fidelity::band_coverage(report.contest->first_folder(), *ensemble, first_member);
    report.all_bands = fidelity::band_coverage(*report.contest, *ensemble, first_member);
}

void add_rates(fidelity::FidelityReport& report) {
    try {
        report.rates = fidelity::measure_rates(report.machine);
    } catch (const ProgramFault& fault) {
        StopRequest::check();
        report.notes.push_back(std::string("part (c) does not fit this machine: ") + fault.what());
    }
}

void add_networks(const FidelityFlags& flags, fidelity::FidelityReport& report) {
    const fs::path file = find_silicon(flags, "networks.csv");
    if (file.empty()) return;
    fidelity::BatchReport batches = fidelity::read_batches(file);
    fidelity::price_batches(batches, report.machine.params);
    report.batches = std::move(batches);
    if (flags.quick) return;
    auto networks = run_networks(flags, file, report.machine);
    StopRequest::check();
    report.networks = std::move(networks);
}

void add_int8_networks(const FidelityFlags& flags, fidelity::FidelityReport& report) {
    const fs::path file = find_silicon(flags, "networks.csv");
    if (file.empty() || flags.quick) return;
    const Progress progress("networks in int8");
    auto int8 = fidelity::run_int8_networks(
        file, load_machine("bm1684-int8", {}), process_count(flags.jobs),
        [&](std::size_t done, std::size_t all) { progress.show(done, all); });
    StopRequest::check();
    int8.laws = fidelity::int8_laws(fs::path(flags.folder) / "estimator");
    report.int8 = std::move(int8);
}

void add_operators(const FidelityFlags& flags, fidelity::FidelityReport& report) {
    const fs::path file = find_silicon(flags, "leaderboard.csv");
    if (file.empty() || flags.quick) return;
    const Progress progress("operators");
    auto operators = fidelity::run_contest_operators(
        file, report.machine, process_count(flags.jobs),
        [&](std::size_t done, std::size_t all) { progress.show(done, all); });
    StopRequest::check();
    report.operators = std::move(operators);
}

void add_second_chip(const FidelityFlags& flags, fidelity::FidelityReport& report) {
    const fs::path record = find_silicon(flags, "cv1835_resnet50.csv");
    if (record.empty()) return;
    report.second_chip = fidelity::replay_second_chip(record, load_machine("cv1835", {}));
}

/// Returns a part of a report, or nullptr if it was not run.
template <typename Part>
const Part* part(const std::optional<Part>& part) {
    return part ? &*part : nullptr;
}

fidelity::FidelityReport make_report(const FidelityFlags& flags) {
    const fs::path folder = flags.folder;
    if (!fs::is_directory(folder)) {
        throw ConfigError(flags.folder, "is not a folder with estimator/ and traces/");
    }
    fidelity::FidelityReport report;
    std::vector<Machine> machines =
        flags.quick ? std::vector{flags.machine.load()}
                    : fidelity::perturbed_machines(flags.machine.machine, flags.machine.settings);
    report.machine = machines.front();
    const auto [ensemble, why_not] =
        flags.quick ? EnsembleOfMachine{} : builtin_ensemble(report.machine);
    if (!ensemble && !flags.quick) report.notes.push_back("part (e) was not run: " + why_not);
    const std::size_t first_member = machines.size();
    if (ensemble) std::ranges::move(ensemble->machines(), std::back_inserter(machines));
    add_part(report, "part (a)", [&] { add_estimator(flags, report); });
    add_part(report, "part (b)",
             [&] { add_contest(flags, machines, ensemble, first_member, report); });
    if (!report.estimator && !report.contest && StopRequest::signal() == 0) {
        throw ConfigError(flags.folder, "holds neither estimator/ nor traces/");
    }
    add_part(report, "part (c)", [&] { add_rates(report); });
    add_part(report, "part (d)", [&] { add_networks(flags, report); });
    add_part(report, "part (f)", [&] { add_second_chip(flags, report); });
    add_part(report, "part (g)", [&] { add_int8_networks(flags, report); });
    add_part(report, "part (h)", [&] { add_operators(flags, report); });
    report.fitted = sensitivities(report.machine, report, !flags.quick);
    if ((flags.cross_validate || !flags.ensemble.empty() || !flags.quick) && report.contest)
        add_part(report, "the cross-validation", [&] { cross_validate(flags, report); });
    report.goals =
        fidelity::goals({part(report.contest), part(report.cross_validation),
                         part(report.all_bands), part(report.networks), part(report.int8)});
    report.inputs = fidelity::read_inputs(
        {folder / "estimator", folder / "traces", folder / "traces_more",
         find_silicon(flags, "leaderboard.csv"), find_silicon(flags, "contest_history.csv"),
         find_silicon(flags, "cv1835_resnet50.csv"), find_silicon(flags, "networks.csv")});
    return report;
}

int run(const FidelityFlags& flags) {
    const StopRequest stop;
    for (const std::string& folder : {flags.folder, flags.silicon}) {
        note_read_folder(folder, {".csv", ".jsonl", ".xz"});
    }
    OutputFile markdown("--markdown " + flags.markdown, flags.markdown);
    ReportOutput output(flags.report);
    const fidelity::FidelityReport report = make_report(flags);
    if (markdown) markdown << fidelity::to_markdown(report);
    markdown.commit();
    if (output.wants_json()) {
        output.write_json(firmware::host::json_text(fidelity::to_json(report)));
    }
    if (output.wants_text()) print_verdicts(fidelity::to_text(report));
    if (!flags.strict) return kSuccess;
    const auto problems = fidelity::unknown_tables(fs::path(flags.folder) / "estimator");
    for (const std::string& problem : problems) print_error("okksim: " + problem + "\n");
    return report.met() && problems.empty() ? kSuccess : kDifferences;
}

}  // namespace

void add_fidelity_command(CLI::App& app, int& exit_code) {
    auto flags = std::make_shared<FidelityFlags>();
    CLI::App* command = app.add_subcommand(
        "fidelity",
        "Compare the machine's times with known times of the chip. The report begins with the "
        "error of\n"
        "cases that a fit does not see. Each part prints its values, their limit, and whether it "
        "is "
        "met:\n"
        "  (a) instruction classes against an independent estimator's tables\n"
        "  (b) recorded contest kernels against the best time of each case on silicon\n"
        "  (c) published rates, reproduced by small kernels\n"
        "  (d) networks of the zoo, and the time of an additional image of a batch\n"
        "  (e) how often silicon is in the band of a simulated time\n"
        "  (f) recorded transfers of another chip\n"
        "  (g) networks in int8 on machine bm1684-int8\n"
        "  (h) the contest's cases as operators of graphs\n"
        "The last tables show the error of (b) for changes of each fitted number, and what fixes "
        "each number.\n"
        "DIR holds estimator/*.csv and traces/*.jsonl.xz with summary.csv. A folder traces_more "
        "has further\n"
        "cases and their contest_history.csv. The files leaderboard.csv and\n"
        "networks.csv may be in DIR, DIR/silicon or DIR/../silicon. Missing traces are listed. "
        "Examples:\n"
        "  okksim fidelity timing --json=report.json\n"
        "  okksim fidelity timing --quick --set bdc.startup_cycles=1000");
    command->add_option("folder", flags->folder, "DIR with estimator/ and traces/")->required();
    command->add_option("--silicon", flags->silicon, "folder with leaderboard.csv");
    add_json_option(*command, flags->report);
    command->add_option("--markdown", flags->markdown,
                        "also write the report as a Markdown page to this file");
    add_machine_options(*command, flags->machine);
    add_jobs_option(*command, flags->jobs);
    command->add_flag(
        "--quick", flags->quick,
        "skip networks, the sensitivity of the fitted numbers and the cross-validation");
    command->add_flag("--cross-validate", flags->cross_validate,
                      "with --quick too, refit the fitted numbers to parts of the cases and "
                      "predict the others (minutes)");
    command->add_option("--ensemble", flags->ensemble,
                        "write parameter sets that fit about equally well to this file (see "
                        "sim/machines/bm1684.ensemble.toml)");
    command
        ->add_option("--also-fit", flags->also_fit,
                     "section.key=LOW:HIGH: let these fits also change this number in its "
                     "plausible range; does the error improve?")
        ->needs("--cross-validate")
        ->allow_extra_args(false);
    command->add_flag(
        "--strict", flags->strict,
        "exit code 1 if a limit is not met, or a table of the estimator is missing or "
        "exchanged");
    command->callback([flags, &exit_code] { exit_code = run(*flags); });
}

}  // namespace okksim::sim::cli
