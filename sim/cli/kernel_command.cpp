// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdio>
#include <exception>
#include <memory>
#include <nlohmann/json.hpp>
#include <optional>
#include <span>
#include <utility>

#include "firmware/host/device_memory.h"
#include "firmware/host/report_json.h"
#include "firmware/host/summary.h"
#include "firmware/leave/crash_writer.h"
#include "isa/base/errors.h"
#include "isa/base/stop_request.h"
#include "models/chip/chip.h"
#include "sim/cli/commands.h"
#include "sim/cli/common_options.h"
#include "sim/cli/launch_lines.h"
#include "sim/cli/output.h"
#include "sim/cli/report_output.h"
#include "sim/device/chip_device.h"
#include "sim/device/debugger_hooks.h"
#include "sim/device/kernel_library.h"
#include "sim/execution/kernel_arguments.h"
#include "sim/machine/provenance.h"
#include "sim/trace/account_report.h"
#include "sim/trace/energy_report.h"
#include "sim/trace/roofline.h"
#include "sim/trace/run_observers.h"

namespace okksim::sim::cli {
namespace {

using firmware::host::LaunchReport;

constexpr double kLeastPointerShare = 1e-6;

struct KernelFlags {
    std::string library;
    std::string kernel;
    std::vector<std::string> arguments;  ///< --arg, in order among themselves
    std::vector<std::string> inputs;
    std::vector<std::string> outputs;
    std::vector<char> order;  ///< 'a', 'i', 'o': order of the three lists' entries
    bool packed = false;
    MachineChoice machine;
    int threads = 1;
    int repeat = 1;
    std::uint64_t command_budget = LaunchLimits::kKernelCommands;
    std::uint64_t call_budget = LaunchLimits::kKernelCalls;
    double idle_seconds = LaunchLimits::kIdleSeconds;
    double call_seconds = LaunchLimits::kCallSeconds;
    double pointer_share = firmware::ContextOptions::kPointerShare;
    trace::ObserverOptions observers;
    ReportForms report;
    bool strict = false;
    bool keep_local = false;
    bool immediate = false;
    bool energy_table = false;
    std::string sanitize = "fast";
};

/// Buffers of one run and the argument block that refers to them.
class Buffers {
 public:
    Buffers(const KernelFlags& flags, ChipDevice& device, trace::RunObservers& observers)
        : device_(device),
          observers_(observers),
          memory_(device.memory_start(), device.memory_bytes()),
          block_(flags.packed) {
        std::size_t next[3] = {};
        for (const char kind : flags.order) {
            switch (kind) {
                case 'a': block_.add_text(flags.arguments[next[0]++]); break;
                case 'i': add_input(flags.inputs[next[1]++]); break;
                default: add_output(flags.outputs[next[2]++]); break;
            }
        }
    }

    std::vector<std::byte> arguments() const { return block_.bytes(); }
    const firmware::host::DeviceMemory& memory() const { return memory_; }

    void save_outputs() {
        for (const OutputBuffer& output : outputs_) {
            std::vector<std::byte> bytes(output.bytes);
            device_.read(output.address, bytes);
            graph::write_npy(output.file, output.descr, output.shape, bytes);
        }
    }

 private:
    std::uint64_t allocate(const std::string& what, std::uint64_t bytes) {
        const auto address = memory_.allocate(std::max<std::uint64_t>(bytes, 1), this);
        if (!address) {
            throw ConfigError(what, fmt::format("{} bytes do not fit global memory; raise "
                                                "global.bytes in the machine file",
                                                bytes));
        }
        return *address;
    }
    void add_input(const std::string& file) {
        const graph::NpyArray array = graph::read_npy(file);
        const std::uint64_t address = allocate("--in " + file, array.data.size());
        device_.write(address, array.data);
        name(file, array.descr, array.shape, address, array.data.size());
        block_.add_address(address);
    }
    void add_output(const std::string& text) {
        OutputBuffer output = parse_output(text);
        output.address = allocate("--out " + text, output.bytes);
        block_.add_address(output.address);
        name(output.file, output.descr, output.shape, output.address, output.bytes);
        outputs_.push_back(std::move(output));
    }

    void name(const std::string& file, const std::string& descr,
              const std::vector<std::int64_t>& shape, std::uint64_t address, std::uint64_t bytes) {
        observers_.name_buffer(fmt::format("{}:{}[{}]", file, descr, fmt::join(shape, ",")),
                               address, bytes);
    }

    ChipDevice& device_;
    trace::RunObservers& observers_;
    firmware::host::DeviceMemory memory_;
    ArgumentBlock block_;
    std::vector<OutputBuffer> outputs_;
};

/// Prints a launch. A finding appears only with the first launch that has it; `repeats` keeps
/// track.
void print_report(const LaunchReport& report, FindingRepeats& repeats) {
    format_out("{}: {:.3f} us simulated, {}\n", report.name, report.simulated_us,
               report.commands.text());
    print_verdicts(findings_text(report.findings, "", repeats));
    if (report.uses_pointers_unseen) {
        write_text(
            "  the kernel's pointer accesses are checked in part; --sanitize=full checks all of "
            "them\n");
    }
    if (!report.fault) return;
    print_verdicts(fmt::format("fault ({}): {}\n", fault_code_name(report.fault->code),
                               report.fault->message()));
    for (const std::string& frame : report.fault->call_stack) format_out("    at {}\n", frame);
}

/// The results of a run for its report.
struct KernelRun {
    const std::vector<LaunchReport>& launches;  ///< only for forms that have one entry per launch
    const LaunchLines& lines_of_launches;
    const trace::Accountant& accountant;
    const trace::LineProfile* lines;  ///< nullptr if not requested
    const Machine& machine;
    bool energy_table;
};

std::string json_of(const KernelRun& run) {
    nlohmann::ordered_json json = nlohmann::ordered_json::array();
    FindingRepeats repeats = firmware::host::repeats_of(run.launches);
    for (std::size_t i = 0; i < run.launches.size(); ++i) {
        json.push_back(firmware::host::launch_json(run.launches[i], repeats));
        const trace::Account& account = run.accountant.launches().at(i);
        json.back()["account"] = account_json(account);
        json.back()["roofline"] = roofline_json(roofline(account, run.machine.params));
        json.back()["energy"] = energy_json(account, run.machine.params);
        add_provenance(json.back(), run.machine);
    }
    if (run.lines != nullptr && !json.empty()) {
        json.back()["lines"] = line_json(*run.lines, run.machine);
    }
    return firmware::host::json_text(json);
}

void print_run(const KernelRun& run) {
    run.lines_of_launches.for_each(&print_report);
    const std::string unseen =
        firmware::host::unseen_text(run.lines_of_launches.history(), "--pointer-share=1");
    if (!unseen.empty()) write_text("  " + unseen + "\n");
    if (run.lines != nullptr) write_text(line_text(*run.lines));
    const trace::Account total = run.accountant.total();
    format_out("{}  {}\n", account_text(total), roofline_text(roofline(total, run.machine.params)));
    if (run.energy_table) write_text(energy_table(total, run.machine.params));
    format_out("  {}{}\n", energy_text(total, run.machine.params), provenance_text(run.machine));
}

/// Writes the report of the launches if the program cannot continue.
void write_crash(const KernelFlags& flags, ReportOutput& output, ChipDevice& device,
                 const trace::RunObservers& observers, const FaultRecord& fault) {
    const std::vector<LaunchReport> reports = device.crashed(fault);
    if (output.wants_json()) {
        nlohmann::ordered_json json = nlohmann::ordered_json::array();
        FindingRepeats repeats = firmware::host::repeats_of(reports);
        for (const LaunchReport& report : reports) {
            json.push_back(firmware::host::launch_json(report, repeats));
            add_provenance(json.back(), device.simulation().machine());
        }
        output.write_json(firmware::host::json_text(json));
    }
    if (output.wants_csv() && flags.observers.lines != trace::kToTerminal) {
        output.write_csv(
            account_csv(observers.accountant().launches(), device.simulation().machine()));
    }
    if (output.wants_text()) {
        FindingRepeats repeats = firmware::host::repeats_of(reports);
        for (const LaunchReport& report : reports) print_report(report, repeats);
    }
    std::fflush(stdout);
}

/// The last report if a kernel has destroyed the run's state. It is not on the heap, which the
/// kernel may have overwritten.
struct LastReport {
    std::array<char, 256> kernel;
    std::array<char, 4096> json;  ///< path of the JSON file; empty: none
};
LastReport last_report;

void keep(std::span<char> place, const std::string& text) {
    place[text.copy(place.data(), place.size() - 1)] = '\0';
}

void prepare_last_report(const KernelFlags& flags) {
    keep(last_report.kernel, flags.kernel);
    if (!flags.report.json.empty()) keep(last_report.json, flags.report.json.front());
}

void write_last_report(const FaultRecord& fault) {
    const std::string path = last_report.json.data();
    if (path.empty()) return;
    LaunchReport report;
    report.name = last_report.kernel.data();
    report.fault = fault;
    FindingRepeats repeats;
    auto json = nlohmann::ordered_json::array({firmware::host::launch_json(report, repeats)});
    json.back()["incomplete"] = true;
    const std::string text = firmware::host::json_text(json);
    // Opens the path directly, because the prepared output file may be corrupt.
    std::FILE* const file = path == "-" ? stdout : std::fopen(path.c_str(), "we");
    if (file == nullptr) return;
    std::fwrite(text.data(), 1, text.size(), file);
    std::fflush(file);
}

/// Returns steps that call write_crash() and complete every file.
std::vector<firmware::CrashWriter::Write> crash_writes(const KernelFlags& flags,
                                                       ReportOutput& output, ChipDevice& device,
                                                       trace::RunObservers& observers,
                                                       const bool& is_there) {
    std::vector<firmware::CrashWriter::Write> writes{[&](const FaultRecord& fault, bool) {
        write_crash(flags, output, device, observers, fault);
    }};
    for (auto& ending : observers.endings()) {
        writes.emplace_back([ending, &is_there](const FaultRecord&, bool) {
            OKKSIM_CHECK(is_there);
            ending();
        });
    }
    return writes;
}

/// Sets `is_there` while it exists.
class WhileHere {
 public:
    explicit WhileHere(bool& is_there) : is_there_(is_there) { is_there_ = true; }
    ~WhileHere() { is_there_ = false; }
    WhileHere(const WhileHere&) = delete;
    WhileHere& operator=(const WhileHere&) = delete;

 private:
    bool& is_there_;
};

/// Writes every launch with its time by cause; returns the exit code.
int write_reports(const KernelFlags& flags, ReportOutput& output, const KernelRun& run) {
    if (output.wants_json()) output.write_json(json_of(run));
    if (output.wants_csv()) {
        output.write_csv(run.lines != nullptr
                             ? line_csv(*run.lines, run.machine)
                             : account_csv(run.accountant.launches(), run.machine));
    }
    if (output.wants_text()) print_run(run);
    const LaunchLines& launches = run.lines_of_launches;
    const bool failed = launches.has_fault() || (flags.strict && launches.has_mistake());
    return failed ? kProgramFault : kSuccess;
}

/// The launches of a run.
struct Launches {
    std::vector<LaunchReport> reports;  ///< only for forms that have one entry per launch
    LaunchLines lines;
};

/// Launches the kernel in batches, so that the memory of finished launches is free again.
Launches launch_all(const KernelFlags& flags, ChipDevice& device, trace::RunObservers& observers,
                    const firmware::host::LaunchRequest& request, bool keeps_reports) {
    constexpr int kBatch = 256;
    Launches launches;
    for (int i = 0; i < flags.repeat; ++i) {
        observers.name_launch(flags.kernel);
        device.launch(request);
        if (i + 1 < flags.repeat && i % kBatch != kBatch - 1) continue;
        std::vector<LaunchReport> reports =
            i + 1 < flags.repeat ? device.finish_batch() : device.finish();
        if (keeps_reports) {
            launches.reports.insert(launches.reports.end(), reports.begin(), reports.end());
        }
        launches.lines.add(std::move(reports));
    }
    return launches;
}

int run(const KernelFlags& flags) {
    const StopRequest stop;
    ReportOutput output(flags.report);
    const KernelLibrary library(flags.library);
    const firmware::KernelEntry entry = library.kernel(flags.kernel);
    LaunchLimits limits;
    if (flags.command_budget > 0) limits.command_budget = flags.command_budget;
    limits.call_budget = flags.call_budget > 0 ? flags.call_budget : UINT64_MAX;
    limits.idle_seconds.reset();
    if (flags.idle_seconds > 0) limits.idle_seconds = flags.idle_seconds;
    limits.call_seconds = flags.call_seconds > 0 ? flags.call_seconds : HUGE_VAL;
    limits.pointer_share = flags.pointer_share;
    models::ChipOptions options;
    options.threads = flags.threads;
    options.with_diagnostics = flags.sanitize != "off";
    options.exact_bytes = flags.sanitize == "full";
    if (flags.immediate && (flags.observers.record_crc || flags.observers.record_data)) {
        throw ConfigError("--immediate", "records no data; drop --record-data");
    }
    if (flags.immediate) options.with_data = false;  // the hooks execute the commands
    // Declared before the device, so that it outlives the device if an exception is thrown.
    bool is_there = false;
    std::optional<firmware::CrashWriter> crash_writer;
    ChipDevice device(flags.machine.load(), options, limits);
    std::optional<DebuggerHooks> hooks;
    if (flags.immediate) {
        models::Chip& chip = device.simulation().chip();
        hooks.emplace(chip, device.simulation().machine().params.shape());
        chip.add_observer(*hooks);
    }
    const bool whole_stacks = flags.sanitize == "full" || !flags.observers.lines.empty();
    CallSites* const sites =
        whole_stacks || flags.observers.any() ? &device.remember_calls(whole_stacks) : nullptr;
    trace::RunObservers observers(trace::observed(device.simulation()), flags.observers, sites);
    device.set_copy_observer([&](const HostCopy& copy) { observers.host_copied(copy); });
    device.set_store_observer(observers.store_observer());
    observers.name_library(flags.library);
    prepare_last_report(flags);
    crash_writer.emplace(crash_writes(flags, output, device, observers, is_there),
                         &write_last_report, true);
    const WhileHere here(is_there);
    Buffers buffers(flags, device, observers);
    device.watch(buffers.memory());
    const bool keeps_reports = output.wants_json() || output.wants_csv();
    if (!keeps_reports) observers.keep_sum_only();
    if (flags.keep_local) device.simulation().chip().keep_local_memory();
    Launches launches = launch_all(flags, device, observers,
                                   {flags.kernel, entry, buffers.arguments()}, keeps_reports);
    buffers.save_outputs();
    for (Finding& finding : device.take_read_findings()) {
        if (keeps_reports) launches.reports.back().findings.push_back(finding);
        launches.lines.add_to_last(std::move(finding));
    }
    std::exception_ptr unwritten;  // the run's own report is still written
    try {
        observers.finish();
    } catch (const ConfigError&) {
        unwritten = std::current_exception();
    }
    const bool prints_lines = flags.observers.lines == trace::kToTerminal;
    const int exit_code = write_reports(flags, output,
                                        {launches.reports, launches.lines, observers.accountant(),
                                         prints_lines ? observers.lines() : nullptr,
                                         device.simulation().machine(), flags.energy_table});
    // Heap corruption may be noticed only when memory is freed.
    std::fflush(stdout);
    crash_writer.reset();
    if (unwritten) std::rethrow_exception(unwritten);
    return exit_code;
}

}  // namespace

void add_kernel_command(CLI::App& app, int& exit_code) {
    auto flags = std::make_shared<KernelFlags>();
    CLI::App* command = app.add_subcommand(
        "kernel",
        "Launch a kernel of a shared library on the simulated chip, without a host program.\n"
        "--arg, --in and --out give the fields of the kernel's argument struct in order; --in and\n"
        "--out are 64-bit device addresses. Example:\n"
        "  cc -shared -fPIC -I include add.c -o add.so\n"
        "  okksim kernel add.so --launch add --arg i32=64 \\\n"
        "      --out y.npy:f32[64] --in a.npy --in b.npy");
    command->add_option("library", flags->library, "shared library with kernels")->required();
    command->add_option("--launch", flags->kernel, "name of the kernel")->required();
    CLI::Option* argument =
        command->add_option("--arg", flags->arguments, "TYPE=VALUE: i8 u8 ... u64 f32 f64");
    CLI::Option* input = command->add_option("--in", flags->inputs, "FILE.npy: a buffer with data");
    CLI::Option* output =
        command->add_option("--out", flags->outputs, "FILE.npy:TYPE[d0,d1,...]: a buffer to save");
    for (CLI::Option* option : {argument, input, output}) option->allow_extra_args(false);
    command->add_flag("--packed", flags->packed, "the argument struct is packed");
    add_machine_options(*command, flags->machine);
    add_threads_option(*command, flags->threads);
    command->add_option("--repeat", flags->repeat, "launches")->check(CLI::Range(1, 1000000));
    command
        ->add_option("--command-budget", flags->command_budget,
                     "commands that one launch may issue; 0: no limit")
        ->check(number_from_zero())
        ->capture_default_str();
    command
        ->add_option("--idle-seconds", flags->idle_seconds,
                     "CPU seconds that a kernel may compute without issuing a command; 0: no limit")
        ->check(number_from_zero())
        ->capture_default_str();
    command
        ->add_option("--call-seconds", flags->call_seconds,
                     "seconds that a call may last without a completed command, or that the kernel "
                     "may wait without issuing one; 0: no limit")
        ->check(number_from_zero())
        ->capture_default_str();
    command
        ->add_option("--pointer-share", flags->pointer_share,
                     "with --sanitize=full: the share of the run's time that checks of the "
                     "kernel's pointer accesses may take; 1: no limit")
        ->envname("OKKSIM_POINTER_SHARE")
        ->check(CLI::Range(kLeastPointerShare, 1.0))
        ->capture_default_str();
    add_strict_option(*command, flags->strict);
    add_sanitize_option(*command, flags->sanitize);
    add_energy_option(*command, flags->energy_table);
    add_observer_options(*command, flags->observers);
    add_record_data_options(*command, flags->observers);
    command->add_flag("--keep-local", flags->keep_local,
                      "the kernel relies on local memory of the launch before it: reads of such "
                      "memory are no warnings");
    command->add_flag("--immediate", flags->immediate,
                      "for debuggers (okksim-gdb.py): commands take effect immediately; "
                      "uninitialised reads and data races are not checked");
    command->add_flag("--lines{-}", flags->observers.lines,
                      "print each source line with the causes of its time; --lines=FILE: write "
                      "them to a file, as JSON or CSV by its name");
    command
        ->add_option("--call-budget", flags->call_budget,
                     "okk calls that one launch may make; 0: no limit")
        ->check(number_from_zero())
        ->capture_default_str();
    add_json_option(*command, flags->report);
    add_csv_option(*command, flags->report, "the causes of the time, as CSV");
    command->callback([=, &exit_code] {
        for (const CLI::Option* option : command->parse_order()) {
            if (option == argument) flags->order.push_back('a');
            if (option == input) flags->order.push_back('i');
            if (option == output) flags->order.push_back('o');
        }
        flags->observers.sees_stores = true;
        exit_code = run(*flags);
    });
}

}  // namespace okksim::sim::cli
