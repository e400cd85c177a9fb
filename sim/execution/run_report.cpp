// SPDX-License-Identifier: Apache-2.0
#include "sim/execution/run_report.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <map>
#include <nlohmann/json.hpp>

#include "firmware/host/report_json.h"

namespace okksim::sim::execution {
namespace {

/// Sums over several operator records.
struct Totals {
    std::uint64_t count = 0;
    double us = 0;
    double gdma_us = 0;
    double bdc_us = 0;
    std::uint64_t bytes = 0;
    std::uint64_t commands = 0;
    std::uint64_t mcu_bytes = 0;

    void add(const OperatorRecord& record) {
        ++count;
        us += (record.end - record.start).microseconds();
        gdma_us += record.gdma_busy.microseconds();
        bdc_us += record.bdc_busy.microseconds();
        bytes += record.bytes_moved;
        commands += record.gdma_commands + record.bdc_commands;
        mcu_bytes += record.mcu_bytes;
    }
};

double percent(double part, double whole) { return whole > 0 ? 100 * part / whole : 0; }

std::string kind_of(const OperatorRecord& record) {
    return record.is_reorder ? "(reorder)" : std::string(tosa::op_name(record.op));
}

std::string row_text(const std::string& number, const std::string& kind, const std::string& name,
                     const Totals& row, double total_us) {
    return fmt::format(
        "{:>5} {:<20} {:>11.2f} {:>5.1f}% {:>5.1f}% {:>5.1f}% {:>12} {:>9} {:>9}  {}\n", number,
        kind, row.us, percent(row.us, total_us), percent(row.gdma_us, row.us),
        percent(row.bdc_us, row.us), row.bytes, row.commands, row.mcu_bytes, name);
}

std::string header(const char* first, const char* last) {
    return fmt::format("{:>5} {:<20} {:>11} {:>6} {:>6} {:>6} {:>12} {:>9} {:>9}  {}\n", first,
                       "operator", "us", "share", "GDMA", "BDC", "bytes moved", "commands",
                       "MCU bytes", last);
}

double total_us(const ModelRun& run) { return (run.report.end - run.report.start).microseconds(); }

std::string operator_rows(const ModelRun& run) {
    std::string text = header("#", "output");
    for (const OperatorRecord& record : run.report.operators) {
        Totals row;
        row.add(record);
        text += row_text(std::to_string(record.op_index), kind_of(record), record.output, row,
                         total_us(run));
    }
    return text;
}

std::string kind_rows(const ModelRun& run) {
    std::map<std::string, Totals> kinds;
    Totals all;
    for (const OperatorRecord& record : run.report.operators) {
        kinds[kind_of(record)].add(record);
        all.add(record);
    }
    std::vector<std::pair<std::string, Totals>> sorted(kinds.begin(), kinds.end());
    std::stable_sort(sorted.begin(), sorted.end(),
                     [](const auto& a, const auto& b) { return a.second.us > b.second.us; });
    std::string text = header("count", "");
    for (const auto& [kind, row] : sorted) {
        text += row_text(std::to_string(row.count), kind, "", row, total_us(run));
    }
    all.us = total_us(run);
    return text + row_text(std::to_string(all.count), "total", "", all, all.us);
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

constexpr double kMiB = 1024.0 * 1024.0;

}  // namespace

std::string run_text(const ModelRun& run, const ModelRunOptions& options) {
    std::string text = fmt::format("{} on {}\n\n", options.model.string(), options.machine.name);
    text += operator_rows(run) + "\n" + kind_rows(run) + "\n";
    text += fmt::format(
        "simulated {:.1f} us; host {:.2f} s to load, {:.2f} s to run; global memory {:.1f} MiB "
        "(constants {:.1f}, variables {:.1f}, working {:.1f})\n",
        total_us(run), run.load_seconds, run.run_seconds,
        static_cast<double>(run.memory.constants + run.memory.variables + run.memory.working) /
            kMiB,
        static_cast<double>(run.memory.constants) / kMiB,
        static_cast<double>(run.memory.variables) / kMiB,
        static_cast<double>(run.memory.working) / kMiB);
    if (!run.random_inputs.empty()) {
        text += fmt::format("random inputs (seed {}): {}\n", options.seed,
                            fmt::join(run.random_inputs, ", "));
    }
    text += findings_text(run.report.findings, "");
    if (run.report.fault) {
        return text + fmt::format("fault ({}): {}\n", fault_code_name(run.report.fault->code),
                                  run.report.fault->message());
    }
    return text + verdict_text(run);
}

nlohmann::ordered_json run_json(const ModelRun& run, const ModelRunOptions& options) {
    nlohmann::ordered_json json{{"model", options.model.string()},
                                {"machine", options.machine.name},
                                {"simulated_us", total_us(run)},
                                {"host_load_seconds", run.load_seconds},
                                {"host_run_seconds", run.run_seconds},
                                {"constant_bytes", run.memory.constants},
                                {"variable_bytes", run.memory.variables},
                                {"working_bytes", run.memory.working},
                                {"random_inputs", run.random_inputs},
                                {"operators", nlohmann::ordered_json::array()},
                                {"warnings", firmware::host::findings_json(run.report.findings)},
                                {"outputs", nlohmann::ordered_json::array()},
                                {"fault", firmware::host::fault_json(run.report.fault)}};
    for (const OperatorRecord& record : run.report.operators) {
        json["operators"].push_back({{"index", record.op_index},
                                     {"operator", kind_of(record)},
                                     {"output", record.output},
                                     {"start_us", record.start.microseconds()},
                                     {"end_us", record.end.microseconds()},
                                     {"gdma_busy_us", record.gdma_busy.microseconds()},
                                     {"bdc_busy_us", record.bdc_busy.microseconds()},
                                     {"gdma_commands", record.gdma_commands},
                                     {"bdc_commands", record.bdc_commands},
                                     {"bytes_moved", record.bytes_moved},
                                     {"mcu_bytes", record.mcu_bytes}});
    }
    for (const check::FileVerdict& verdict : run.verdicts) {
        json["outputs"].push_back(
            {{"name", verdict.path}, {"passed", verdict.passed}, {"verdict", verdict.text}});
    }
    return json;
}

}  // namespace okksim::sim::execution
