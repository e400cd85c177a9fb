// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <memory>
#include <nlohmann/json.hpp>
#include <optional>

#include "firmware/host/report_json.h"
#include "sim/cli/commands.h"
#include "sim/cli/output.h"
#include "sim/cli/report_output.h"
#include "sim/machine/provenance.h"
#include "sim/trace/account_report.h"
#include "sim/trace/command_trace_reader.h"
#include "sim/trace/entry_text.h"
#include "sim/trace/replay.h"
#include "sim/trace/trace_diff.h"

namespace okksim::sim::cli {
namespace {

using trace::Account;
using trace::TraceDifference;

struct ShowFlags {
    std::string trace;
    std::uint64_t from = 0;
    std::uint64_t count = 0;
    ReportForms report;
};

struct DiffFlags {
    std::string a, b;
    bool commands_only = false;
    ReportForms report;
};

/// Entries [from, from + count) as text, and the number of each command in the trace.
struct Listing {
    std::vector<std::string> lines;
    std::vector<std::optional<std::uint64_t>> commands;
};

/// True for entries that request nothing of the machine. They have no number, so that numbers agree
/// with trace diff.
bool is_remark_entry(const trace::TraceEntry& entry) {
    return entry.kind == trace::EntryKind::kPlace || entry.kind == trace::EntryKind::kBuffer ||
           entry.kind == trace::EntryKind::kData;
}

/// Reads the whole trace, so that any damage is found.
Listing listing(trace::CommandTraceReader& reader, const ShowFlags& flags) {
    const isa::MachineShape shape = reader.machine().params.shape();
    Listing result;
    trace::TraceEntry entry;
    std::uint64_t command = 0;
    std::uint64_t i = 0;
    while (reader.next(entry)) {
        const bool is_command = entry.kind == trace::EntryKind::kCommand;
        const bool is_remark = is_remark_entry(entry);
        if (i >= flags.from && i - flags.from < flags.count) {
            const std::string number = is_remark ? "" : fmt::format("{}", i);
            result.lines.push_back(fmt::format("{:>8}  {}", number, entry_text(entry, shape)));
            result.commands.push_back(is_command ? std::optional(command) : std::nullopt);
        }
        if (is_command) ++command;
        if (!is_remark) ++i;
    }
    return result;
}

/// Adds times and causes to the listed commands. A replay completes commands in program order.
class ListedTimes : public trace::AccountListener {
 public:
    explicit ListedTimes(Listing& listing) : listing_(listing) {}

    void accounted(const isa::Command&, const models::CommandTimes& times,
                   const trace::CommandAccount& account) override {
        const std::uint64_t command = command_++;
        const auto& listed = listing_.commands;
        while (next_ < listed.size() && (!listed[next_] || *listed[next_] < command)) ++next_;
        if (next_ == listing_.lines.size() || listing_.commands[next_] != command) return;
        std::string& line = listing_.lines[next_++];
        line += fmt::format("\n          {:.3f} to {:.3f} us", times.start.microseconds(),
                            times.end.microseconds());
        for (std::size_t cause = 0; cause < trace::kCauses; ++cause) {
            const double us = account.by_cause[cause].microseconds();
            if (us == 0) continue;
            line += fmt::format("; {} {:.3f}", cause_name(static_cast<trace::Cause>(cause)), us);
        }
    }

 private:
    Listing& listing_;
    std::uint64_t command_ = 0;
    std::size_t next_ = 0;
};

int show(const ShowFlags& flags) {
    ReportOutput output(flags.report);
    trace::CommandTraceReader reader(flags.trace);
    Listing listed = listing(reader, flags);
    ListedTimes times(listed);
    trace::ReplayOptions options;
    options.listeners.push_back(&times);
    const trace::TraceTotals& totals = reader.totals();
    const Account account = trace::replay(flags.trace, options).total();
    const std::vector<std::string>& lines = listed.lines;
    const double per_command =
        totals.commands.total() == 0
            ? 0
            : static_cast<double>(reader.bytes()) / static_cast<double>(totals.commands.total());
    if (output.wants_json()) {
        nlohmann::ordered_json json = nlohmann::ordered_json::object();
        add_provenance(json, reader.machine());
        json.update(nlohmann::ordered_json{{"data_crc", reader.has_data_crc()},
                                           {"bytes", reader.bytes()},
                                           {"launches", totals.launches}});
        firmware::host::add_counts(json, totals.commands);
        json["polls"] = totals.polls;
        json["other_calls"] = totals.calls;
        json["account"] = account_json(account);
        json["entries"] = lines;
        output.write_json(firmware::host::json_text(json));
    }
    if (!output.wants_text()) return kSuccess;
    format_out("{}\n{} bytes, {:.1f} per command, {} data CRCs\n",
               provenance_text(reader.machine()), reader.bytes(), per_command,
               reader.has_data_crc() ? "with" : "without");
    format_out("{} launches, {}, {} polls, {} other calls\n", totals.launches,
               totals.commands.text(), totals.polls, totals.calls);
    format_out("{:.3f} us simulated\n{}", account.span.microseconds(), account_text(account));
    if (!lines.empty()) format_out("{}\n", fmt::join(lines, "\n"));
    return kSuccess;
}

/// A difference between the times of two runs: engine, cause, microseconds of each.
struct CauseDifference {
    std::string engine;
    const char* cause;
    double a, b;
};

std::vector<CauseDifference> cause_differences(const Account& a, const Account& b) {
    std::vector<CauseDifference> rows;
    for (std::size_t e = 0; e < std::min(a.engines.size(), b.engines.size()); ++e) {
        for (std::size_t i = 0; i < trace::kCauses; ++i) {
            const double us_a = a.engines[e].by_cause[i].microseconds();
            const double us_b = b.engines[e].by_cause[i].microseconds();
            if (us_a == us_b) continue;
            rows.push_back({a.engines[e].engine.name,
                            trace::cause_name(static_cast<trace::Cause>(i)), us_a, us_b});
        }
    }
    std::stable_sort(rows.begin(), rows.end(), [](const auto& x, const auto& y) {
        return std::abs(x.b - x.a) > std::abs(y.b - y.a);
    });
    return rows;
}

void print(const TraceDifference& difference, const char* title) {
    format_out("{} at entry {}:\n", title, difference.entry);
    for (const std::string& line : difference.context) format_out("    {}\n", line);
    format_out("  A {}\n  B {}\n", difference.a, difference.b);
}

nlohmann::ordered_json to_json(const std::optional<TraceDifference>& difference) {
    if (!difference) return nullptr;
    return {{"entry", difference->entry},
            {"what", difference->what},
            {"context", difference->context},
            {"a", difference->a},
            {"b", difference->b}};
}

nlohmann::ordered_json to_json(const trace::TraceComparison& result) {
    nlohmann::ordered_json json{{"equal", result.equal()},
                                {"same_times", result.same_times()},
                                {"commands_compared", result.commands_compared},
                                {"command", to_json(result.command)},
                                {"data_compared", result.data_compared},
                                {"data", to_json(result.data)},
                                {"us_a", result.account_a.span.microseconds()},
                                {"us_b", result.account_b.span.microseconds()},
                                {"causes", nlohmann::ordered_json::array()},
                                {"recorded_a", nlohmann::ordered_json::object()},
                                {"recorded_b", nlohmann::ordered_json::object()}};
    for (const CauseDifference& row : cause_differences(result.account_a, result.account_b)) {
        json["causes"].push_back(
            {{"engine", row.engine}, {"cause", row.cause}, {"us_a", row.a}, {"us_b", row.b}});
    }
    add_machine(json["recorded_a"], result.machine_a);
    add_machine(json["recorded_b"], result.machine_b);
    add_version(json);
    return json;
}

void print(const trace::TraceComparison& result) {
    if (result.command) print(*result.command, "first difference in commands");
    if (result.data) print(*result.data, "first difference in data written");
    if (result.equal()) {
        format_out("the same {} commands{}\n", result.commands_compared,
                   result.data_compared ? " and data" : "; data not compared (no CRCs)");
    }
    format_out("A {}\nB {}\n{}\n", machine_text(result.machine_a), machine_text(result.machine_b),
               version_text());
    const double us_a = result.account_a.span.microseconds();
    const double us_b = result.account_b.span.microseconds();
    format_out("time: A {:.3f} us, B {:.3f} us ({:+.2f} %)\n", us_a, us_b,
               us_a > 0 ? (us_b / us_a - 1) * 100 : 0);
    for (const CauseDifference& row : cause_differences(result.account_a, result.account_b)) {
        format_out("  {:<5} {:<16} {:>14.3f} {:>14.3f} {:>+14.3f}\n", row.engine, row.cause, row.a,
                   row.b, row.b - row.a);
    }
}

int diff(const DiffFlags& flags) {
    ReportOutput output(flags.report);
    const trace::TraceComparison result = trace::compare_traces(flags.a, flags.b);
    if (output.wants_json()) output.write_json(firmware::host::json_text(to_json(result)));
    if (output.wants_text()) print(result);
    const bool same = result.equal() && (flags.commands_only || result.same_times());
    return same ? kSuccess : kDifferences;
}

}  // namespace

void add_trace_command(CLI::App& app, int& exit_code) {
    CLI::App* command =
        app.add_subcommand("trace",
                           "Read command traces of --record and okksim record. Example:\n"
                           "  okksim trace show add.okktrace --count 20");
    command->require_subcommand(1);

    auto show_flags = std::make_shared<ShowFlags>();
    CLI::App* show_command =
        command->add_subcommand("show",
                                "Print the contents of a trace, and the causes of the time of each "
                                "engine and listed command.\n"
                                "  okksim trace show add.okktrace --from 0 --count 20");
    show_command->add_option("trace", show_flags->trace, "command trace")->required();
    show_command->add_option("--from", show_flags->from, "first entry to list");
    show_command->add_option("--count", show_flags->count,
                             "number of entries to list; default: none");
    add_json_option(*show_command, show_flags->report);
    show_command->callback([show_flags, &exit_code] { exit_code = show(*show_flags); });

    auto diff_flags = std::make_shared<DiffFlags>();
    CLI::App* diff_command = command->add_subcommand(
        "diff",
        "Show where two runs diverge: the first command that differs, the first command that "
        "wrote\n"
        "other bytes (traces with CRCs), and the difference in time by engine and cause. Exit code "
        "1\n"
        "if commands, data or times differ.\n"
        "  okksim trace diff before.okktrace after.okktrace");
    diff_command->add_option("a", diff_flags->a, "command trace")->required();
    diff_command->add_option("b", diff_flags->b, "command trace")->required();
    diff_command->add_flag("--commands-only", diff_flags->commands_only,
                           "exit code 1 only if commands or data differ, for example to compare "
                           "runs on two machines");
    add_json_option(*diff_command, diff_flags->report);
    diff_command->callback([diff_flags, &exit_code] { exit_code = diff(*diff_flags); });
}

}  // namespace okksim::sim::cli
