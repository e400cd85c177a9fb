// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "isa/base/errors.h"
#include "isa/base/output_file.h"
#include "isa/base/stop_request.h"
#include "sim/cli/commands.h"
#include "sim/cli/common_options.h"
#include "sim/cli/output.h"
#include "sim/cli/report_output.h"
#include "sim/execution/case_filter.h"
#include "sim/graph/folder.h"
#include "sim/lab/gate/baseline.h"
#include "sim/study/gate/compare_baselines.h"
#include "sim/study/gate/gate_judge.h"
#include "sim/study/gate/gate_run.h"

namespace okksim::sim::cli {
namespace {

struct GateFlags {
    std::string file;
    std::string write;
    std::string against;
    std::string filter;
    std::string junit;
    std::string markdown;
    std::vector<std::string> settings;
    int jobs = 0;
    ReportForms report;
};

/// Returns the folder to compare with. Without --against, it is the one of the file if it exists.
std::optional<std::filesystem::path> base_of(const GateFlags& flags, const gate::GateFile& gate) {
    if (!flags.against.empty()) {
        if (std::filesystem::is_directory(flags.against)) return flags.against;
        throw ConfigError("--against " + flags.against, "is not a folder; `okksim gate " +
                                                            flags.file + " --write " +
                                                            flags.against + "` makes one");
    }
    if (!flags.write.empty() || !std::filesystem::is_directory(gate.base)) return std::nullopt;
    return gate.base;
}

/// The tasks that --filter selects, and the others as cases.
struct Selection {
    std::vector<gate::GateTask> tasks;
    std::vector<gate::CaseComparison> left_out;
};

Selection select(const GateFlags& flags, const gate::GateFile& gate) {
    const execution::CaseFilter filter(flags.filter);
    Selection selection;
    for (const gate::GateTask& task : gate.tasks) {
        if (filter.selects(task.name)) {
            selection.tasks.push_back(task);
        } else {
            selection.left_out.push_back({task.name, gate::Verdict::kLeftOut, 0, 0, {}});
        }
    }
    if (!selection.tasks.empty()) return selection;
    throw ConfigError("--filter " + flags.filter, "selects no workload of " + flags.file);
}

int exit_code_of(const std::vector<gate::CaseComparison>& cases,
                 const std::vector<std::optional<gate::GateOutcome>>& outcomes) {
    const auto has = [&](gate::Verdict verdict) {
        return std::ranges::find(cases, verdict, &gate::CaseComparison::verdict) != cases.end();
    };
    const bool has_bug = std::ranges::any_of(
        outcomes, [](const auto& outcome) { return outcome && outcome->is_bug; });
    if (has_bug) return kInternal;
    if (has(gate::Verdict::kError)) return kUsage;
    if (has(gate::Verdict::kFault)) return kProgramFault;
    const bool fine = std::ranges::all_of(
        cases, [](const gate::CaseComparison& c) { return gate::passes(c.verdict); });
    return fine ? kSuccess : kDifferences;
}

void write_reports(const std::vector<gate::CaseComparison>& cases, double threshold,
                   OutputFile& junit, OutputFile& markdown, ReportOutput& report) {
    junit << gate::comparison_junit(cases, "okksim gate");
    junit.commit();
    markdown << gate::gate_markdown(cases, threshold);
    markdown.commit();
    if (report.wants_json()) report.write_json(gate::comparison_json(cases, threshold));
    if (report.wants_text()) print_verdicts(gate::gate_text(cases, threshold));
}

int run(const GateFlags& flags) {
    const StopRequest stop;
    const gate::GateFile gate = gate::read_gate(flags.file, flags.settings);
    note_read_file(flags.file);
    const Selection selection = select(flags, gate);
    const auto base = base_of(flags, gate);
    if (base) note_read_folder(*base, {".trace"});
    OutputFile junit("--junit " + flags.junit, flags.junit);
    OutputFile markdown("--markdown " + flags.markdown, flags.markdown);
    ReportOutput report(flags.report);
    if (!flags.write.empty()) graph::make_folder(flags.write);
    const Progress progress("workloads");
    const auto outcomes =
        gate::run_tasks(selection.tasks, process_count(flags.jobs),
                        [&](std::size_t done, std::size_t all) { progress.show(done, all); });
    auto cases = gate::judge_tasks(selection.tasks, outcomes, base);
    if (base) std::ranges::move(gate::missing_tasks(gate, *base), std::back_inserter(cases));
    std::ranges::copy(selection.left_out, std::back_inserter(cases));
    write_reports(cases, gate.threshold, junit, markdown, report);
    if (!flags.write.empty()) {
        const std::size_t count = gate::write_baseline(outcomes, flags.write);
        if (report.wants_text()) format_out("{} recorded in {}\n", count, flags.write);
    }
    if (!base && flags.write.empty() && report.wants_text()) {
        format_out("no baseline in {}: only limits count; `okksim gate {} --write {}` makes one\n",
                   gate.base.string(), flags.file, gate.base.string());
    }
    return exit_code_of(cases, outcomes);
}

struct BaselineFlags {
    std::string out;
    std::string filter;
    MachineChoice machine;
    int jobs = 0;
};

struct CompareFlags {
    std::string base;
    std::string next;
    std::string threshold = "2%";
    std::string junit;
    std::string markdown;
    ReportForms report;
};

int record(const BaselineFlags& flags) {
    const StopRequest stop;
    const Machine machine = flags.machine.load();
    const Progress progress("cases");
    std::size_t count = 0;
    const auto failures =
        gate::record_baseline(machine, flags.out, flags.filter, process_count(flags.jobs),
                              [&](std::size_t done, std::size_t all) {
                                  count = all;
                                  progress.show(done, all);
                              });
    for (const std::string& failure : failures) format_out("{}\n", failure);
    format_out("{} recorded in {}, {} failed\n", count - failures.size(), flags.out,
               failures.size());
    if (StopRequest::signal() != 0) format_out("stopped early: {}\n", StopRequest::text());
    return failures.empty() ? kSuccess : kProgramFault;
}

int compare(const CompareFlags& flags) {
    const StopRequest stop;
    const double threshold = gate::share_from(flags.threshold, "--threshold " + flags.threshold);
    for (const std::string& folder : {flags.base, flags.next}) note_read_folder(folder, {".trace"});
    OutputFile junit("--junit " + flags.junit, flags.junit);
    OutputFile markdown("--markdown " + flags.markdown, flags.markdown);
    ReportOutput report(flags.report);
    const auto cases = gate::compare_baselines(flags.base, flags.next, threshold);
    junit << gate::comparison_junit(cases);
    junit.commit();
    markdown << gate::comparison_markdown(cases, threshold);
    markdown.commit();
    if (report.wants_json()) report.write_json(gate::comparison_json(cases, threshold));
    if (report.wants_text()) print_verdicts(gate::comparison_text(cases, threshold));
    const bool fine = std::all_of(cases.begin(), cases.end(), [](const gate::CaseComparison& c) {
        return gate::passes(c.verdict);
    });
    return fine ? kSuccess : kDifferences;
}

}  // namespace

void add_gate_command(CLI::App& app, int& exit_code) {
    auto flags = std::make_shared<GateFlags>();
    CLI::App* command = app.add_subcommand(
        "gate",
        "Run the kernels, networks, traces and sweeps of a gate file, and check their limits and\n"
        "their baseline: results, time, commands, bytes of DRAM and energy. Each change is "
        "explained\n"
        "by its causes and by the lines of the kernel. Exit code 1 if a workload fails, 2 if a "
        "file is\n"
        "wrong, 3 if a kernel has a fault. Example:\n"
        "  okksim gate gate.toml --write baseline\n"
        "  okksim gate gate.toml --against baseline --junit gate.xml --markdown gate.md");
    command->add_option("file", flags->file, "gate file (TOML)")->required();
    CLI::Option* write =
        command->add_option("--write", flags->write, "write the baseline to this folder");
    command
        ->add_option("--against", flags->against,
                     "folder of the baseline; default: `base` of the gate file, if it exists")
        ->excludes(write);
    command->add_option("--filter", flags->filter,
                        "run only workloads whose names match this regular expression");
    add_set_option(*command, flags->settings);
    command->add_option("--junit", flags->junit, "write a JUnit XML report to this file");
    command->add_option("--markdown", flags->markdown, "write a table to this file");
    add_jobs_option(*command, flags->jobs);
    add_json_option(*command, flags->report, "the verdicts and measured values as JSON");
    command->callback([flags, &exit_code] { exit_code = run(*flags); });
}

void add_baseline_command(CLI::App& app, int& exit_code) {
    auto flags = std::make_shared<BaselineFlags>();
    CLI::App* command = app.add_subcommand(
        "baseline",
        "Run the gate's kernels, networks and sweeps, and keep their commands, results, times and\n"
        "machines for `okksim compare`. Example:\n"
        "  okksim baseline -o new && okksim compare traces new");
    command
        ->add_option("-o,--out", flags->out,
                     "folder for NAME.func.trace, NAME.time.trace, NAME.sweep.trace")
        ->required();
    command->add_option("--filter", flags->filter,
                        "run only cases whose names match this regular expression");
    add_machine_options(*command, flags->machine);
    add_jobs_option(*command, flags->jobs);
    command->callback([flags, &exit_code] { exit_code = record(*flags); });
}

void add_compare_command(CLI::App& app, int& exit_code) {
    auto flags = std::make_shared<CompareFlags>();
    CLI::App* command =
        app.add_subcommand("compare",
                           "Compare two folders of `okksim baseline`, kernel by kernel, and name "
                           "the cause of each change.\n"
                           "A case fails if its results differ, if its time grew by more than the "
                           "threshold, or if its\n"
                           "Pareto front has other machines. Exit code 1 if a case fails.\n"
                           "  okksim compare traces new --threshold 2% --junit gate.xml");
    command->add_option("base", flags->base, "folder to compare with")->required();
    command->add_option("new", flags->next, "folder to judge")->required();
    command
        ->add_option("--threshold", flags->threshold,
                     "allowed slow-down: 2%, 2 or 0.02 are the same")
        ->capture_default_str();
    command->add_option("--junit", flags->junit, "write a JUnit XML report to this file");
    command->add_option("--markdown", flags->markdown, "write a table to this file");
    add_json_option(*command, flags->report, "the comparison as JSON");
    command->callback([flags, &exit_code] { exit_code = compare(*flags); });
}

}  // namespace okksim::sim::cli
