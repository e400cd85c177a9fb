// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <chrono>
#include <filesystem>
#include <memory>
#include <nlohmann/json.hpp>
#include <optional>

#include "firmware/host/report_json.h"
#include "isa/base/errors.h"
#include "isa/base/printable.h"
#include "isa/base/stop_request.h"
#include "sim/cli/commands.h"
#include "sim/cli/common_options.h"
#include "sim/cli/output.h"
#include "sim/cli/report_output.h"
#include "sim/files/mapped_file.h"
#include "sim/graph/formats/graph_formats.h"
#include "sim/machine/provenance.h"
#include "sim/trace/account_report.h"
#include "sim/trace/command_log.h"
#include "sim/trace/command_recorder.h"
#include "sim/trace/command_trace_reader.h"
#include "sim/trace/energy_report.h"
#include "sim/trace/kept_commands.h"
#include "sim/trace/replay.h"
#include "sim/trace/roofline.h"
#include "sim/trace/timeline.h"

namespace okksim::sim::cli {
namespace {

struct ReplayFlags {
    std::string trace;
    std::string machine;
    std::vector<std::string> settings;
    std::string timeline;
    std::string record;
    std::string commands;
    bool force = false;
    bool ensemble = false;
    bool energy_table = false;
    ReportForms report;
};

/// Note on the limits of a replay.
constexpr const char* kPlanNote =
    "the commands are those of the recording. On another machine okksim run plans a network anew,\n"
    "and its time may differ by 0.1 % and more";

double commands_per_second(const trace::ReplayReport& report) {
    const auto commands = static_cast<double>(report.commands.total());
    return report.host_seconds > 0 ? commands / report.host_seconds : 0;
}

/// The band of a replay's time by an ensemble.
struct ReplayBand {
    Band band;
    double share = 0;
    std::size_t sets = 0;
    double host_milliseconds = 0;
};

ReplayBand find_band(const trace::BandObserver& kept, const Machine& machine) {
    const auto [ensemble, why_not] = builtin_ensemble(machine);
    if (!ensemble) throw ConfigError("--ensemble", why_not + "; replay on another --machine");
    const auto begin = std::chrono::steady_clock::now();
    const std::optional<Band> band = kept.band(*ensemble);
    const std::chrono::duration<double, std::milli> passed =
        std::chrono::steady_clock::now() - begin;
    if (!band) {
        throw ConfigError("--ensemble", fmt::format("the recording is empty or has more than {} "
                                                    "calls and commands; record a part of the run",
                                                    trace::BandObserver::kMost));
    }
    return {*band, ensemble->share, ensemble->members.size(), passed.count()};
}

void print_band(const ReplayBand& found) {
    format_out("{:.0f} % band by {} parameter sets: {:.3f} to {:.3f} us ({:.1f} ms)\n",
               found.share * 100, found.sets, found.band.low, found.band.high,
               found.host_milliseconds);
}

void print_text(const trace::ReplayReport& report, bool energy_table) {
    format_out("{}{}\n", provenance_text(report.machine),
               report.same_machine ? ", the recorded machine" : "");
    for (const trace::ReplayedLaunch& launch : report.launches) {
        format_out("{}: {:.3f} us simulated",
                   launch.name.empty() ? "launch" : printable(launch.name), launch.simulated_us);
        if (launch.recorded_us) {
            format_out(", {:.3f} us recorded ({:+.2f} %)", *launch.recorded_us,
                       (launch.simulated_us / *launch.recorded_us - 1) * 100);
        }
        format_out("\n");
    }
    format_out("{}, {:.0f} commands/s\n", report.commands.text(), commands_per_second(report));
    format_out("{}  {}\n", account_text(report.total()),
               roofline_text(roofline(report.total(), report.machine.params)));
    const models::MachineParams& machine = report.machine.params;
    if (energy_table) write_text(trace::energy_table(report.total(), machine));
    format_out("  {}", energy_text(report.total(), machine));
    if (!report.same_machine) format_out("note: {}\n", kPlanNote);
    if (report.stopped && StopRequest::signal() == 0) {
        format_out("stopped early: {}\n", *report.stopped);
    }
}

nlohmann::ordered_json to_json(const trace::ReplayReport& report) {
    nlohmann::ordered_json json = nlohmann::ordered_json::object();
    add_provenance(json, report.machine);
    json.update(nlohmann::ordered_json{{"same_machine", report.same_machine},
                                       {"launches", nlohmann::ordered_json::array()}});
    firmware::host::add_counts(json, report.commands);
    json["commands_per_second"] = commands_per_second(report);
    json["stopped"] = nullptr;
    for (std::size_t i = 0; i < report.launches.size(); ++i) {
        const trace::ReplayedLaunch& launch = report.launches[i];
        nlohmann::ordered_json entry{
            {"name", launch.name}, {"simulated_us", launch.simulated_us}, {"recorded_us", nullptr}};
        if (launch.recorded_us) entry["recorded_us"] = *launch.recorded_us;
        entry["account"] = account_json(report.accounts[i]);
        entry["roofline"] = roofline_json(roofline(report.accounts[i], report.machine.params));
        entry["energy"] = energy_json(report.accounts[i], report.machine.params);
        json["launches"].push_back(std::move(entry));
    }
    if (report.stopped) json["stopped"] = *report.stopped;
    if (!report.same_machine) json["note"] = kPlanNote;
    return json;
}

/// Rejects a graph, which is easily given in place of its recording.
void refuse_graph(const std::string& path) {
    if (!std::filesystem::is_regular_file(path) || trace::CommandTraceReader::recognises(path)) {
        return;
    }
    const MappedFile file = map_file(path);
    for (const graph::GraphFormat& format : graph::graph_formats()) {
        if (file.bytes.empty() || !format.probe(file.bytes)) continue;
        throw ConfigError(path, fmt::format("is a graph ({}), not a recording; `okksim run {} "
                                            "--record FILE` makes one",
                                            format.name, printable(path)));
    }
}

int run(const ReplayFlags& flags) {
    const StopRequest stop;
    refuse_graph(flags.trace);
    trace::ReplayOptions options;
    if (!flags.machine.empty()) options.machine = flags.machine;
    options.settings = flags.settings;
    options.force = flags.force;
    for (const std::string& output : {flags.record, flags.timeline, flags.commands}) {
        std::error_code not_there;
        if (!output.empty() && std::filesystem::equivalent(output, flags.trace, not_there)) {
            throw ConfigError(output, "is the input trace; name another file");
        }
    }
    ReportOutput output(flags.report);
    const Machine machine = trace::replay_machine(flags.trace, options);
    std::optional<trace::Timeline> timeline;
    if (!flags.timeline.empty()) {
        options.observers.push_back(&timeline.emplace(flags.timeline, machine));
        options.listeners.push_back(&*timeline);
    }
    std::optional<trace::CommandLog> commands;
    if (!flags.commands.empty()) {
        options.listeners.push_back(&commands.emplace(flags.commands, machine));
    }
    std::optional<trace::CommandRecorder> recorder;
    if (!flags.record.empty()) {
        options.observers.push_back(&recorder.emplace(flags.record, machine));
    }
    options.before_launch = [&](const std::string& name) {
        if (timeline) timeline->name_launch(name);
        if (recorder) recorder->name_launch(name);
    };
    std::optional<trace::BandObserver> kept;
    if (flags.ensemble) options.observers.push_back(&kept.emplace());
    const trace::ReplayReport report = trace::replay(flags.trace, options);
    std::optional<ReplayBand> band;
    // An incomplete replay has no band.
    if (kept && !report.stopped) band = find_band(*kept, machine);
    if (timeline) timeline->finish();
    if (recorder) recorder->finish();
    if (commands) commands->finish();
    if (output.wants_json()) {
        nlohmann::ordered_json json = to_json(report);
        if (band) {
            json["band_us"] = {
                {"share", band->share}, {"low", band->band.low}, {"high", band->band.high}};
        }
        output.write_json(firmware::host::json_text(json));
    }
    if (output.wants_csv()) output.write_csv(account_csv(report.accounts, report.machine));
    if (output.wants_text()) print_text(report, flags.energy_table);
    if (output.wants_text() && band) print_band(*band);
    return report.stopped ? kDifferences : kSuccess;
}

}  // namespace

void add_replay_command(CLI::App& app, int& exit_code) {
    auto flags = std::make_shared<ReplayFlags>();
    CLI::App* command = app.add_subcommand(
        "replay",
        "Time recorded commands on a machine, without data: how long would this run take on "
        "another\n"
        "machine? TRACE is a command trace (okksim kernel --record) or a call trace (.jsonl, "
        ".jsonl.xz).\n"
        "On the recorded machine a command trace gives exactly the recorded times. The report "
        "shows\n"
        "the causes of each engine's time. Examples:\n"
        "  okksim replay add.okktrace\n"
        "  okksim replay add.okktrace --set dram.read_bytes_per_nanosecond=40\n"
        "  okksim replay conv2d_00_A.jsonl.xz --machine my.toml --timeline conv.json");
    command->add_option("trace", flags->trace, "command trace or call trace")->required();
    command->add_option("--machine", flags->machine,
                        "built-in name or TOML file; default: the recorded machine, else bm1684");
    add_set_option(*command, flags->settings);
    command->add_option("--timeline", flags->timeline,
                        "write a timeline for ui.perfetto.dev to this file");
    add_command_log_option(*command, flags->commands);
    command->add_option("--record", flags->record,
                        "write the commands to this file as a command trace");
    command->add_flag("--force", flags->force,
                      "replay the valid part of a damaged trace (exit code 1)");
    command->add_flag("--ensemble", flags->ensemble,
                      "also print the likely band of the silicon time, from parameter sets that "
                      "fit about equally well");
    add_energy_option(*command, flags->energy_table);
    add_json_option(*command, flags->report);
    add_csv_option(*command, flags->report, "the causes of the time, as CSV");
    command->callback([flags, &exit_code] { exit_code = run(*flags); });
}

}  // namespace okksim::sim::cli
