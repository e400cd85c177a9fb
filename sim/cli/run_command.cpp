// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>
#include <unistd.h>

#include <fstream>
#include <memory>
#include <nlohmann/json.hpp>

#include "firmware/host/summary.h"
#include "isa/errors.h"
#include "sim/cli/commands.h"
#include "sim/device/kernel_library.h"
#include "sim/execution/model_run.h"
#include "sim/execution/run_report.h"
#include "sim/trace/run_observers.h"

namespace okksim::sim::cli {
namespace {

struct RunFlags {
    std::string model;
    std::vector<std::string> libraries;
    std::vector<std::string> inputs;
    std::string out;
    std::string check;
    std::string stats;
    trace::ObserverOptions observers;
    std::string machine = "bm1684";
    std::vector<std::string> settings;
    double relative = 0;
    double absolute = 0;
    std::uint64_t seed = 1;
    std::uint64_t command_budget = 0;
    int threads = 1;
    bool json = false;
};

std::map<std::string, std::filesystem::path> input_files(const std::vector<std::string>& texts) {
    std::map<std::string, std::filesystem::path> files;
    for (const std::string& text : texts) {
        const std::size_t sign = text.rfind('=');
        if (sign == std::string::npos || sign == 0) {
            throw ConfigError("--input " + text, "is not of the form NAME=FILE.npy");
        }
        files[text.substr(0, sign)] = text.substr(sign + 1);
    }
    return files;
}

void show_progress(std::size_t done, std::size_t steps) {
    fmt::print(stderr, "\r\033[K{}/{} steps", done, steps);
    if (done == steps) fmt::print(stderr, "\r\033[K");
}

execution::ModelRunOptions options_of(const RunFlags& flags) {
    execution::ModelRunOptions options;
    options.model = flags.model;
    options.inputs = input_files(flags.inputs);
    options.seed = flags.seed;
    if (!flags.check.empty()) options.check = flags.check;
    if (!flags.out.empty()) options.out = flags.out;
    if (flags.relative != 0 || flags.absolute != 0) {
        options.plain_rule = check::ToleranceRule{flags.relative, flags.absolute};
    }
    if (flags.command_budget > 0) options.limits.command_budget = flags.command_budget;
    options.chip.threads = flags.threads;
    options.machine = load_machine(flags.machine, flags.settings);
    if (isatty(STDERR_FILENO) != 0) options.progress = show_progress;
    return options;
}

/// What is written down about the run itself, without its constants' preparation.
class Observation {
 public:
    explicit Observation(const RunFlags& flags) : flags_(flags) {}

    void attach(execution::ModelRunOptions& options) {
        options.starting = [this](Simulation& simulation) {
            observers_.emplace(simulation, flags_.observers);
            observers_->name_launch(std::filesystem::path(flags_.model).stem().string());
        };
        options.finished = [this](const execution::ExecutionReport& report) { finish(report); };
    }
    /// Where the engines' time went, for people.
    std::string account() const { return account_ ? "\n" + account_text(*account_) : ""; }
    std::string json() const { return account_ ? account_json(*account_) : "null"; }

 private:
    void finish(const execution::ExecutionReport& report) {
        if (trace::Timeline* timeline = observers_->timeline()) {
            for (const execution::OperatorRecord& record : report.operators) {
                const std::string kind =
                    record.is_reorder ? "reorder" : std::string(tosa::op_name(record.op));
                timeline->add_operator(kind + " " + record.output, record.start, record.end);
            }
        }
        observers_->finish();
        account_ = observers_->accountant().total();
    }

    const RunFlags& flags_;
    std::optional<trace::RunObservers> observers_;
    std::optional<trace::Account> account_;
};

/// The report with the account of the engines' time in it.
std::string with_account(const std::string& report, const Observation& observation) {
    auto json = nlohmann::ordered_json::parse(report);
    json["account"] = nlohmann::ordered_json::parse(observation.json());
    return json.dump(2, ' ', false, nlohmann::json::error_handler_t::replace) + "\n";
}

int run(const RunFlags& flags) {
    // Loading registers the kernels; libraries stay loaded.
    for (const std::string& library : flags.libraries) (void)KernelLibrary(library);
    execution::ModelRunOptions options = options_of(flags);
    Observation observation(flags);
    observation.attach(options);
    const execution::ModelRun model_run = execution::run_model(options);
    const std::string json = with_account(execution::run_json(model_run, options), observation);
    if (!flags.stats.empty()) {
        std::ofstream file(flags.stats);
        file << json;
        if (!file.flush()) throw ConfigError("--stats " + flags.stats, "cannot be written");
    }
    fmt::print("{}",
               flags.json ? json : execution::run_text(model_run, options) + observation.account());
    if (model_run.report.fault) return kProgramFault;
    const bool differs =
        std::any_of(model_run.verdicts.begin(), model_run.verdicts.end(),
                    [](const check::FileVerdict& verdict) { return !verdict.passed; });
    return differs ? kDifferences : kSuccess;
}

}  // namespace

void add_run_command(CLI::App& app, int& exit_code) {
    auto flags = std::make_shared<RunFlags>();
    CLI::App* command = app.add_subcommand(
        "run",
        "Run a TOSA graph on the simulated chip: every operator is a firmware kernel. Prints the\n"
        "time of each operator and the verdict on its outputs. Inputs without --input are those\n"
        "of the --check folder's desc.json, or else random (--seed). Example:\n"
        "  okksim run model.tosa --input image=cat.npy --out result --check golden");
    command->add_option("model", flags->model, ".tosa file")->required();
    command->add_option("--input", flags->inputs, "NAME=FILE.npy: value of an input")
        ->allow_extra_args(false);
    command
        ->add_option("--library", flags->libraries,
                     "shared library with kernels for CUSTOM operators (okk_custom.h)")
        ->allow_extra_args(false);
    command->add_option("--out", flags->out, "folder for NAME.npy of every output");
    command->add_option("--check", flags->check,
                        "folder of golden outputs: with a desc.json (its rules), or NAME.npy files "
                        "(equal, or within --relative and --absolute)");
    command->add_option("--relative", flags->relative, "allowed error, as a share of the value")
        ->check(CLI::NonNegativeNumber);
    command->add_option("--absolute", flags->absolute, "allowed error, added to the relative one")
        ->check(CLI::NonNegativeNumber);
    command->add_option("--machine", flags->machine, "built-in name or TOML file")
        ->capture_default_str();
    command->add_option("--set", flags->settings, "section.key=value, changes one parameter")
        ->allow_extra_args(false);
    command->add_option("--stats", flags->stats, "write the report as JSON to this file");
    command->add_option("--timeline", flags->observers.timeline,
                        "write a timeline for ui.perfetto.dev to this file");
    command->add_option("--vcd", flags->observers.vcd,
                        "write the engines' states as a value change dump to this file (.vcd)");
    command->add_option("--record", flags->observers.record,
                        "write a command trace to this file (see `okksim replay`)");
    command->add_flag("--record-crc", flags->observers.record_crc,
                      "record the CRC of the bytes that each command writes too");
    command->add_option("--seed", flags->seed, "of random inputs")->capture_default_str();
    command->add_option("--threads", flags->threads, "host threads for one command")
        ->check(CLI::Range(1, 256))
        ->capture_default_str();
    command->add_option("--command-budget", flags->command_budget,
                        "commands that the run may issue; 0: any number");
    command->add_flag("--json", flags->json, "print the report as JSON");
    command->callback([flags, &exit_code] { exit_code = run(*flags); });
}

}  // namespace okksim::sim::cli
