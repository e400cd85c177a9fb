// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <algorithm>
#include <memory>

#include "isa/base/output_file.h"
#include "isa/base/stop_request.h"
#include "sim/cli/commands.h"
#include "sim/cli/common_options.h"
#include "sim/cli/output.h"
#include "sim/cli/report_output.h"
#include "sim/lab/gate/baseline.h"
#include "sim/study/gate/compare_baselines.h"
#include "sim/study/gate/gate_file.h"

namespace okksim::sim::cli {
namespace {

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
