// SPDX-License-Identifier: Apache-2.0
#include "sim/report/run_report.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <cmath>
#include <nlohmann/json.hpp>
#include <set>

#include "firmware/host/report_json.h"
#include "isa/base/errors.h"
#include "isa/base/printable.h"
#include "sim/machine/provenance.h"
#include "sim/report/class_report.h"
#include "sim/report/limit_report.h"
#include "sim/report/operator_table.h"
#include "sim/trace/account_report.h"
#include "sim/trace/energy_report.h"
#include "sim/trace/kept_commands.h"

namespace okksim::sim::report {
namespace {

/// Maximum number of operators in the text; --operators shows all.
constexpr std::size_t kShownOperators = 25;
constexpr double kMiB = 1024.0 * 1024.0;

double total_us(const ModelRun& run) { return (run.report.end - run.report.start).microseconds(); }

/// Returns e.g. "GDMA, BDC".
std::string command_engines(const models::MachineParams& machine) {
    std::string names;
    for (const trace::ListedEngine& engine : trace::EngineList(machine)) {
        if (engine.kind) names += (names.empty() ? "" : ", ") + engine.name;
    }
    return names;
}

std::string tables_text(const ModelRun& run, const ModelRunOptions& options) {
    const std::size_t count = run.report.operators.size();
    const bool all = options.all_operators || count <= kShownOperators;
    const std::string title =
        all ? "Operators in order of execution"
            : fmt::format("The {} slowest of {} operators (all: --operators or --csv=FILE)",
                          kShownOperators, count);
    return title + ":\n" +
           operator_table(run.report, options.machine.params, all ? 0 : kShownOperators) +
           "\nBy operator kind:\n" + kind_table(run.report, options.machine.params) +
           command_engines(options.machine.params) +
           ": share of the time in which the engine is occupied. roof: the time at peak compute\n"
           "or DRAM bandwidth, as a share of the actual time. roof at: the roof in Gop/s\n"
           "(definitions: docs/reference/reports.md).\n";
}

/// The bytes that the chip loads once, before the first run.
std::string constants_text(const ModelRun& run) {
    const planning::ConstantFile& file = run.memory.file;
    if (file.packed == 0) return "";
    return fmt::format(
        "The chip loads a file of constants of {} bytes before the first run ({} packed for its "
        "kernels).\n",
        file.bytes, file.packed);
}

std::string band_text(const ModelRun& run, const ModelRunOptions& options) {
    if (run.report.fault) return "no band: the run ended with a fault\n";
    if (!options.ensemble) return fmt::format("no band: {}\n", options.why_no_ensemble);
    if (!run.band) {
        return fmt::format("no band: the run has more than {} calls and commands\n",
                           trace::BandObserver::kMost);
    }
    return fmt::format(
        "With launch and sync {:.1f} us. If the real chip ran exactly these commands, it would "
        "take\n{:.1f} to {:.1f} us ({:.0f} % confidence; calibrated on single kernels).\n"
        "Another compiler's commands may be faster.\n",
        run.report.account.span.microseconds(), run.band->low, run.band->high,
        options.ensemble->share * 100);
}

std::string time_text(const ModelRun& run, const ModelRunOptions& options) {
    const double around_us = run.report.account.span.microseconds() - total_us(run);
    const auto mib = [](std::uint64_t bytes) { return static_cast<double>(bytes) / kMiB; };
    const execution::MemoryUse& memory = run.memory;
    return fmt::format(
        "simulated {:.1f} us, and {:.1f} us for the host's launch and sync\n{}{}"
        "global memory {:.1f} MiB: constants {:.1f}, prepared {:.1f}, variables {:.1f}, working "
        "{:.1f}\n"
        "this host took {:.2f} s to load the model and {:.2f} s to run it\n",
        total_us(run), around_us, constants_text(run), band_text(run, options),
        mib(memory.constants + memory.prepared + memory.variables + memory.working),
        mib(memory.constants), mib(memory.prepared), mib(memory.variables), mib(memory.working),
        run.load_seconds, run.run_seconds);
}

/// Returns the kinds of operators without computing time of the control processor, in order of
/// name.
std::set<std::string> untimed_kinds(const ModelRun& run) {
    std::set<std::string> kinds;
    for (const OperatorRecord& record : run.report.operators) {
        if (computing_timed(record.share.account)) continue;
        kinds.insert(record.layers > 0 ? "layer groups" : operator_kind(record));
    }
    return kinds;
}

std::string untimed_text(const ModelRun& run) {
    const std::set<std::string> kinds = untimed_kinds(run);
    if (kinds.empty()) return "";
    return fmt::format(
        "Note: the control processor's arithmetic in these kernels is not timed, because they do "
        "not\nreport it: {}\n",
        fmt::join(kinds, ", "));
}

std::string verdict_text(const ModelRun& run) {
    std::string text;
    std::size_t failed = 0;
    for (const check::FileVerdict& verdict : run.verdicts) {
        text += fmt::format("{}: {}\n", verdict.path, verdict.text);
        failed += verdict.passed ? 0 : 1;
    }
    if (run.verdicts.empty()) return "outputs not checked (give --check DIR)\n";
    return text +
           fmt::format("{} outputs passed, {} failed\n", run.verdicts.size() - failed, failed);
}

LimitedRun limited(const ModelRun& run, const ModelRunOptions& options) {
    return {run.report, run.memory, run.limits, run.steps, options.machine.params};
}

/// Checks that the energies of the operators and the rest add up to the run's energy, except for
/// rounding.
void check_energy(const ExecutionReport& report, const models::MachineParams& machine) {
    constexpr double kRounding = 1e-9;
    models::energy::EnergyReport sum = trace::energy_of(report.rest, machine);
    for (const OperatorRecord& record : report.operators) {
        sum.add(trace::energy_of(record.share.account, machine));
    }
    const double whole = trace::energy_of(report.account, machine).total_joules.value;
    OKKSIM_CHECK(std::abs(sum.total_joules.value - whole) <= kRounding * whole);
}

std::string energy_lines(const ModelRun& run, const ModelRunOptions& options) {
    const models::MachineParams& machine = options.machine.params;
    check_energy(run.report, machine);
    const std::string line = trace::energy_text(run.report.account, machine);
    return options.energy_table ? trace::energy_table(run.report.account, machine) + line : line;
}

nlohmann::ordered_json operator_object(const OperatorRecord& record,
                                       const models::MachineParams& machine) {
    nlohmann::ordered_json json{{"index", record.op_index},
                                {"operator", operator_kind(record)},
                                {"output", record.output},
                                {"origin", record.origin},
                                {"start_us", record.start.microseconds()},
                                {"end_us", record.end.microseconds()}};
    for (const execution::EngineUse& engine : record.engines) {
        json[trace::column_name(engine.name + " busy us")] = engine.busy.microseconds();
    }
    for (const execution::EngineUse& engine : record.engines) {
        json[trace::column_name(engine.name + " commands")] = engine.commands;
    }
    json["bytes_moved"] = record.bytes_moved;
    json["mcu_bytes"] = record.mcu_bytes;
    json["us"] = record.share.account.span.microseconds();
    json["most_time_lost"] = lost_time_text(record.share.account, machine);
    json["roofline"] = roofline_json(operator_roofline(record, machine));
    json["engines"] = account_json(record.share.account)["engines"];
    json["energy"] = trace::joules_json(record.share.account, machine);
    return json;
}

}  // namespace

std::string run_text(const ModelRun& run, const ModelRunOptions& options) {
    std::string text =
        fmt::format("{}\n{}\n{}\n", options.model.string(), provenance_text(options.machine),
                    planning::emulation_text(run.emulated, options.machine));
    text += tables_text(run, options) + "\n";
    if (!run.report.fault) {
        text += "Where the engines' time went, launch and sync included:\n" +
                account_text(run.report.account) + "\n" + limit_text(limited(run, options), "run") +
                energy_lines(run, options);
    }
    text += time_text(run, options) + untimed_text(run);
    if (!run.rounding.empty()) text += "rounding: " + run.rounding + "\n";
    for (const std::string& made : run.made_inputs) text += printable(made) + "\n";
    if (!run.random_inputs.empty()) {
        text += fmt::format("random inputs (seed {}): {}\n", options.seed,
                            fmt::join(run.random_inputs, ", "));
    }
    text += findings_text(run.report.findings, "");
    if (run.report.fault) {
        return text + fmt::format("fault ({}): {}\n", fault_code_name(run.report.fault->code),
                                  run.report.fault->message());
    }
    if (!options.chip.with_data) return text + "no outputs: the run has no data\n";
    return text + class_text(run.classes) + verdict_text(run);
}

nlohmann::ordered_json run_json(const ModelRun& run, const ModelRunOptions& options) {
    nlohmann::ordered_json json{{"model", options.model.string()},
                                {"machine", options.machine.label()},
                                {"simulated_us", total_us(run)},
                                {"with_data", options.chip.with_data},
                                {"band_us", nullptr},
                                {"constant_file_bytes", run.memory.file.bytes},
                                {"packed_constants", run.memory.file.packed},
                                {"own_computing_not_timed", untimed_kinds(run)},
                                {"constant_bytes", run.memory.constants},
                                {"prepared_bytes", run.memory.prepared},
                                {"variable_bytes", run.memory.variables},
                                {"working_bytes", run.memory.working},
                                {"rounding", run.rounding},
                                {"made_inputs", run.made_inputs},
                                {"random_inputs", run.random_inputs},
                                {"operators", nlohmann::ordered_json::array()},
                                {"warnings", firmware::host::findings_json(run.report.findings)},
                                {"outputs", nlohmann::ordered_json::array()},
                                {"classes", class_json(run.classes)},
                                {"fault", firmware::host::fault_json(run.report.fault)}};
    if (run.band) {
        json["band_us"] = {
            {"share", options.ensemble->share}, {"low", run.band->low}, {"high", run.band->high}};
    }
    for (const OperatorRecord& record : run.report.operators) {
        json["operators"].push_back(operator_object(record, options.machine.params));
    }
    for (const check::FileVerdict& verdict : run.verdicts) {
        json["outputs"].push_back(
            {{"name", verdict.path}, {"passed", verdict.passed}, {"verdict", verdict.text}});
    }
    add_provenance(json, options.machine);
    json["emulated_types"] = planning::emulation_json(run.emulated);
    json["account"] = account_json(run.report.account);
    json["rest"] = account_json(run.report.rest);
    json["roofline"] = roofline_json(run_roofline(run.report, options.machine.params));
    json["floor"] = floor_json(limited(run, options));
    json["reachable_bound"] = bound_json(run.limits.whole);
    json["steps_beside_bounds"] = step_limits_json(limited(run, options));
    if (!run.report.fault) check_energy(run.report, options.machine.params);
    json["energy"] = trace::energy_json(run.report.account, options.machine.params);
    json["rest"]["energy"] = trace::joules_json(run.report.rest, options.machine.params);
    json["area"] = trace::area_json(options.machine.params);
    return json;
}

}  // namespace okksim::sim::report
