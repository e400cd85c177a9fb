// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <limits>
#include <map>
#include <memory>
#include <nlohmann/json.hpp>

#include "firmware/host/report_json.h"
#include "firmware/leave/crash_writer.h"
#include "isa/base/errors.h"
#include "isa/base/output_file.h"
#include "isa/base/stop_request.h"
#include "sim/check/test_case.h"
#include "sim/cli/commands.h"
#include "sim/cli/common_options.h"
#include "sim/cli/output.h"
#include "sim/cli/report_output.h"
#include "sim/cli/run_inputs.h"
#include "sim/device/kernel_library.h"
#include "sim/execution/model_run.h"
#include "sim/graph/host_tensor.h"
#include "sim/report/limit_report.h"
#include "sim/report/operator_table.h"
#include "sim/report/run_page.h"
#include "sim/report/run_report.h"
#include "sim/trace/run_observers.h"
#include "sim/trace/run_picture.h"
#include "sim/trace/unused_parameters.h"

namespace okksim::sim::cli {
namespace {

struct RunFlags {
    std::string model;
    RunInputFlags inputs;
    ClassFlags classes;
    std::vector<std::string> libraries;
    std::string out;
    std::string check;
    ReportForms report;
    trace::ObserverOptions observers;
    MachineChoice machine;
    ToleranceFlags tolerance;
    std::uint64_t seed = execution::kInputSeed;
    std::uint64_t command_budget = 0;
    std::string sanitize = "fast";
    bool strict = false;
    int threads = 1;
    bool all_operators = false;
    bool energy_table = false;
    bool no_data = false;
    std::string keep_values;
    std::string values;
    planning::PlanEffort effort;
    std::string plan;
    std::string plan_cache;
    std::string html;
    const CLI::Option* machine_option = nullptr;  ///< --machine
};

/// Returns the given machine, or the plan's machine if none is given.
Machine machine_of(const RunFlags& flags, const std::optional<planning::StoredPlan>& plan) {
    if (!plan || flags.machine_option->count() > 0) return flags.machine.load();
    return plan->machine_with(flags.machine.settings);
}

execution::ModelRunOptions options_of(const RunFlags& flags) {
    execution::ModelRunOptions options;
    options.model = flags.model;
    flags.inputs.set(options);
    options.classes = flags.classes.options();
    options.seed = flags.seed;
    if (!flags.check.empty()) options.check = flags.check;
    if (!flags.out.empty()) options.out = flags.out;
    std::error_code none;
    if (options.check && options.out &&
        std::filesystem::equivalent(*options.check, *options.out, none)) {
        throw ConfigError("--out " + flags.out,
                          "is the folder that --check reads; name another folder");
    }
    options.plain_rule = flags.tolerance.rule();
    if (flags.command_budget > 0) options.limits.command_budget = flags.command_budget;
    options.chip.threads = flags.threads;
    options.chip.with_diagnostics = flags.sanitize != "off";
    options.watch_kernels = flags.sanitize == "full";
    options.chip.exact_bytes = options.watch_kernels;
    options.all_operators = flags.all_operators;
    options.energy_table = flags.energy_table;
    options.chip.with_data = !flags.no_data;
    if (!flags.keep_values.empty()) options.keep_values = flags.keep_values;
    if (!flags.values.empty()) options.values = flags.values;
    if (!flags.plan.empty()) options.plan.emplace(flags.plan);
    options.machine = machine_of(flags, options.plan);
    options.effort = flags.effort;
    options.plan_cache = flags.plan_cache;
    auto [ensemble, why_not] = builtin_ensemble(options.machine);
    options.ensemble = std::move(ensemble);
    options.why_no_ensemble = std::move(why_not);
    return options;
}

/// Writes the files about the run itself, without the preparation of constants.
class Observation {
 public:
    explicit Observation(const RunFlags& flags) : flags_(flags) {
        if (!flags.html.empty()) page_.emplace(flags.html);
    }

    /// Completes every file if the program cannot continue.
    void end() {
        if (!observers_) return;
        for (const auto& ending : observers_->endings()) ending();
    }
    void attach(execution::ModelRunOptions& options) {
        options.starting = [this](const execution::StartedRun& run) {
            const execution::OperatorProfile& profile = run.profile;
            if (page_) watch(run);
            if (!flags_.observers.any()) return;
            observers_.emplace(run.machine, flags_.observers);
            observers_->set_owner([&profile] {
                const execution::OperatorRecord* record = profile.last_retired();
                return record == nullptr ? std::string() : operator_label(*record);
            });
            if (flags_.observers.record_data) record_data(*run.executor);
            observers_->name_launch(std::filesystem::path(flags_.model).stem().string());
        };
        options.finished = [this](const execution::ExecutionReport& report) {
            if (observers_) finish(report);
        };
    }
    void write_page(const execution::ModelRun& run, const execution::ModelRunOptions& options) {
        if (!page_ || !picture_) return;
        *page_ << report::run_page(run, options, *picture_);
        page_->commit();
    }

 private:
    void watch(const execution::StartedRun& run) {
        const execution::OperatorProfile& profile = run.profile;
        picture_.emplace(run.machine.machine.params, [&profile] {
            const execution::OperatorRecord* record = profile.last_retired();
            return record == nullptr
                       ? std::numeric_limits<std::uint32_t>::max()
                       : static_cast<std::uint32_t>(record - profile.records().data());
        });
        run.machine.add_observer(*picture_);
    }
    /// Records data: operators own commands, the host has written the memory before the run, and
    /// inputs and outputs are buffers.
    void record_data(execution::GraphExecutor& executor) {
        const execution::OperatorProfile& profile = executor.profile();
        observers_->set_lines([&profile](const isa::Command&) {
            const execution::OperatorRecord* record = profile.current();
            return record == nullptr ? std::string() : operator_label(*record);
        });
        executor.show_memory([&](std::uint64_t address, std::span<const std::byte> bytes) {
            observers_->host_copied({true, bytes.size(), {}, {}, address, bytes});
        });
        const graph::Block& main = executor.graph().main();
        for (const auto& [tensor, place] : executor.constant_places()) {
            name_buffer(tensor->name, place);
        }
        for (const execution::NamedBytes& place : executor.prepared_places()) {
            constexpr std::uint64_t kWord = 4;
            observers_->name_buffer(fmt::format("{}:<u4[{}]", place.name, place.bytes / kWord),
                                    place.address, place.bytes);
        }
        name_buffers(executor.input_places(), main.inputs, main);
        name_buffers(executor.output_places(), main.outputs, main);
    }
    void name_buffers(const std::vector<kernels::DeviceTensor>& places,
                      const std::vector<graph::TensorIndex>& tensors, const graph::Block& main) {
        for (std::size_t i = 0; i < places.size(); ++i) {
            name_buffer(main.tensors[tensors[i]].name, places[i]);
        }
    }
    void name_buffer(const std::string& name, const kernels::DeviceTensor& place) {
        const std::vector<std::int64_t> shape(place.dims.begin(), place.dims.begin() + place.rank);
        const auto bytes = static_cast<std::uint64_t>(place.count()) *
                           static_cast<std::uint64_t>(kernels::stored_bytes(place.type));
        observers_->name_buffer(
            fmt::format("{}:{}[{}]", name, graph::npy_descr(place.type), fmt::join(shape, ",")),
            place.address, bytes);
    }
    /// Adds the KiB of every lane that layer groups use for each purpose, by section.
    static void add_local_memory(trace::Timeline& timeline,
                                 const execution::ExecutionReport& report) {
        std::vector<std::size_t> groups;  // records of groups in the main block
        for (std::size_t i = 0; i < report.operators.size(); ++i) {
            const execution::OperatorRecord& record = report.operators[i];
            if (record.layers > 0 && record.block == report.operators[0].block) groups.push_back(i);
        }
        if (groups.size() != report.local.size()) return;
        std::map<std::size_t, std::int32_t> next;  // next section of each group
        for (const execution::SectionRun& section : report.sections) {
            const auto group = std::find(groups.begin(), groups.end(), section.record);
            const std::int32_t number = next[section.record]++;
            if (group == groups.end() || section.end.value == 0) continue;
            const auto& blocks = report.local[static_cast<std::size_t>(group - groups.begin())];
            add_section(timeline, blocks, number, section);
        }
    }
    static void add_section(trace::Timeline& timeline,
                            const std::vector<planning::LocalBlock>& blocks, std::int32_t number,
                            const execution::SectionRun& section) {
        using planning::LocalUse;
        for (const LocalUse use :
             {LocalUse::kMap, LocalUse::kWeights, LocalUse::kScratch, LocalUse::kConstants}) {
            double kibibytes = 0;
            for (const planning::LocalBlock& block : blocks) {
                const bool is_held = block.first <= number && number <= block.last;
                if (block.use == use && is_held) {
                    kibibytes += static_cast<double>(block.bytes) / 1024;
                }
            }
            const std::string name =
                fmt::format("local memory: {}, KiB", planning::local_use_name(use));
            timeline.add_counter(name, section.begin, kibibytes);
            timeline.add_counter(name, section.end, 0);
        }
    }
    void finish(const execution::ExecutionReport& report) {
        if (trace::Timeline* timeline = observers_->timeline()) {
            for (const execution::OperatorRecord& record : report.operators) {
                timeline->add_operator(operator_label(record), record.share.begin,
                                       record.share.end);
            }
            add_local_memory(*timeline, report);
        }
        observers_->finish();
    }

    const RunFlags& flags_;
    std::optional<trace::RunObservers> observers_;
    std::optional<OutputFile> page_;
    std::optional<trace::RunPicture> picture_;
};

execution::ModelRun run_showing_progress(execution::ModelRunOptions& options) {
    const Progress progress("steps");
    options.progress = [&](std::size_t done, std::size_t steps) { progress.show(done, steps); };
    return execution::run_model(options);
}

void write_report(ReportOutput& output, const execution::ModelRunOptions& options,
                  const execution::ModelRun& run) {
    if (output.wants_json()) {
        output.write_json(firmware::host::json_text(report::run_json(run, options)));
    }
    if (output.wants_csv()) {
        output.write_csv(report::operator_csv(run.report, options.machine,
                                              report::step_bounds(run.limits, run.steps)));
    }
    if (output.wants_text()) print_verdicts(report::run_text(run, options));
}

/// Returns the steps that write the fault and every file if a custom operator's kernel crashes the
/// program or never returns.
std::vector<firmware::CrashWriter::Write> crash_writes(const execution::ModelRunOptions& options,
                                                       ReportOutput& output,
                                                       Observation& observation) {
    return {[&](const FaultRecord& fault, bool) {
                execution::ModelRun cut;
                cut.report = execution::empty_report(options.machine.params);
                cut.report.fault = fault;
                write_report(output, options, cut);
                std::fflush(stdout);
            },
            [&](const FaultRecord&, bool) { observation.end(); }};
}

int run(const RunFlags& flags) {
    const StopRequest stop;
    // Loading registers the kernels; libraries stay loaded.
    for (const std::string& library : flags.libraries) (void)KernelLibrary(library);
    execution::ModelRunOptions options = options_of(flags);
    // References are read when the reports are written.
    if (!flags.check.empty()) {
        check::note_tests(flags.check);
        note_read_folder(flags.check, {".npy"});
    }
    ReportOutput output(flags.report);
    Observation observation(flags);
    // The executor accounts for the run itself; a second account is only for files.
    if (flags.observers.any() || !flags.html.empty()) observation.attach(options);
    std::optional<firmware::CrashWriter> crash_writer;
    if (!flags.libraries.empty()) {
        options.limits.custom_call_seconds = options.limits.call_seconds;
        crash_writer.emplace(
            crash_writes(options, output, observation), [](const FaultRecord&) {}, true);
    }
    const execution::ModelRun model_run = run_showing_progress(options);
    observation.write_page(model_run, options);
    for (const std::string& warning : model_run.warnings) {
        print_error(warning + "\n");
    }
    if (!model_run.report.fault && StopRequest::signal() == 0) {
        for (const std::string& note :
             trace::unused_parameters(flags.machine.settings, model_run.report.account)) {
            print_error("note: " + note + "\n");
        }
    }
    if (model_run.search.is_cut) print_error(search_text(model_run.search) + "\n");
    write_report(output, options, model_run);
    const std::vector<Finding>& findings = model_run.report.findings;
    if (model_run.report.fault ||
        (flags.strict && std::any_of(findings.begin(), findings.end(), is_mistake))) {
        return kProgramFault;
    }
    const bool differs =
        std::any_of(model_run.verdicts.begin(), model_run.verdicts.end(),
                    [](const check::FileVerdict& verdict) { return !verdict.passed; });
    return differs ? kDifferences : kSuccess;
}

void add_no_data_options(CLI::App& command, RunFlags& flags) {
    CLI::Option* no_data = command.add_flag(
        "--no-data", flags.no_data,
        "simulate times only; they equal those of a run with data. Nothing is computed");
    for (const char* needs_data :
         {"--out", "--check", "--top", "--labels", "--record-data", "--record-crc", "--vcd"}) {
        no_data->excludes(command.get_option(needs_data));
    }
    CLI::Option* keep =
        command.add_option("--keep-values", flags.keep_values,
                           "write the values that the control processor loads to this file, for "
                           "--no-data: loop conditions, shifts, zero points");
    no_data->excludes(keep);
    command.add_option("--values", flags.values, "file of --keep-values, for --no-data")
        ->needs(no_data);
}

void add_plan_option(CLI::App& command, RunFlags& flags) {
    flags.machine_option = command.get_option("--machine");
    CLI::Option* plan = command.add_option(
        "--plan", flags.plan,
        "run this plan (`okksim plan --json=FILE`) instead of a new one. The machine is the "
        "plan's, unless --set or --machine changes it; lanes and memories must stay the same");
    for (const char* planning :
         {"--no-fusion", "--optimise", "--plan-candidates", "--plan-seconds"}) {
        plan->excludes(command.get_option(planning));
    }
}

}  // namespace

void add_run_command(CLI::App& app, int& exit_code) {
    auto flags = std::make_shared<RunFlags>();
    CLI::App* command = app.add_subcommand(
        "run",
        "Run a TOSA graph on the simulated chip: every operator is a firmware kernel. The report "
        "has\n"
        "the time of each operator and the verdict on the outputs. An input without --input comes\n"
        "from the desc.json of the --check folder, else it is random (--seed). Examples:\n"
        "  okksim run model.tosa --input image=cat.npy --out result --check golden\n"
        "  okksim run model.tosa --input cat.jpg --top 5");
    command->add_option("model", flags->model, kGraphFileHelp)->required();
    add_run_inputs(*command, flags->inputs);
    command
        ->add_option("--library", flags->libraries,
                     "shared library with kernels for CUSTOM operators (okk_custom.h)")
        ->allow_extra_args(false);
    command->add_option("-o,--out", flags->out, "write every output to this folder, as NAME.npy");
    command->add_option("--check", flags->check,
                        "folder of golden outputs: a desc.json with rules, or NAME.npy files "
                        "(equal, or within --relative and --absolute)");
    add_tolerance_options(*command, flags->tolerance);
    add_class_options(*command, flags->classes);
    add_machine_options(*command, flags->machine);
    add_json_option(*command, flags->report);
    add_csv_option(*command, flags->report,
                   "the operators with time by engine and cause, and roofline, as CSV");
    command->add_option("--html", flags->html,
                        "write the run as an HTML page: engines and local memory over time, causes "
                        "of time, roofline, energy, operators");
    command->add_flag("--operators", flags->all_operators,
                      "print all operators, not only the slowest");
    add_energy_option(*command, flags->energy_table);
    add_effort_options(*command, flags->effort);
    add_plan_cache_option(*command, flags->plan_cache);
    add_plan_option(*command, *flags);
    add_observer_options(*command, flags->observers);
    add_record_data_options(*command, flags->observers);
    add_sanitize_option(*command, flags->sanitize);
    add_strict_option(*command, flags->strict);
    command->add_option("--seed", flags->seed, "seed of random inputs")
        ->check(number_from_zero())
        ->capture_default_str();
    add_threads_option(*command, flags->threads);
    add_no_data_options(*command, *flags);
    command
        ->add_option("--command-budget", flags->command_budget,
                     "commands that the run may issue; 0: no limit")
        ->check(number_from_zero());
    command->callback([flags, &exit_code] { exit_code = run(*flags); });
}

}  // namespace okksim::sim::cli
