// SPDX-License-Identifier: Apache-2.0
#include "sim/report/operator_table.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <numeric>

#include "isa/base/printable.h"
#include "sim/machine/provenance.h"
#include "sim/trace/account_report.h"
#include "sim/trace/energy_report.h"

namespace okksim::sim::report {
namespace {

using trace::Account;

constexpr double kMega = 1e6;
constexpr double kGiga = 1e9;
constexpr std::size_t kKindWidth = 22;

double percent(double part, double whole) { return whole > 0 ? 100 * part / whole : 0; }

/// Returns the share of an account's time in which each engine that takes commands is occupied, in
/// columns of `width` digits.
std::string utilisations(const Account& account, int width) {
    std::string text;
    for (const trace::EngineAccount& engine : account.engines) {
        if (!engine.engine.kind) continue;
        text += fmt::format(" {:>{}.0f}%",
                            percent(engine.occupied().microseconds(), account.span.microseconds()),
                            width);
    }
    return text;
}

/// Returns the columns' names.
std::string engine_names(const models::MachineParams& machine, int width) {
    std::string text;
    for (const trace::ListedEngine& engine : trace::EngineList(machine)) {
        if (engine.kind) text += fmt::format(" {:>{}}", engine.name, width);
    }
    return text;
}

/// Returns the text, cut to `width` characters.
std::string cut(const std::string& text, std::size_t width) {
    constexpr std::size_t kDots = 2;
    return text.size() <= width ? text : text.substr(0, width - kDots) + "..";
}

/// Returns the time of the run without the host's launch and sync.
double total_us(const ExecutionReport& report) {
    return (report.end - report.start).microseconds();
}

std::string operator_row(const OperatorRecord& record, double all_us,
                         const models::MachineParams& machine) {
    constexpr std::size_t kOutputWidth = 9;
    const Account& account = record.share.account;
    const trace::Roofline roof = operator_roofline(record, machine);
    const double us = account.span.microseconds();
    return fmt::format("{:>4} {:<22} {:>9.1f} {:>5.1f}%{} {:>4.0f}% {:<7} {:<19} {}{}\n",
                       record.op_index, cut(operator_kind(record), kKindWidth), us,
                       percent(us, all_us), utilisations(account, 4), roof.percent(),
                       bound_name(roof.bound()), lost_time_text(account, machine),
                       cut(printable(record.output), kOutputWidth),
                       record.origin.empty() ? "" : " (" + printable(record.origin) + ")");
}

/// Sums over operators of one kind.
struct KindTotals {
    std::uint64_t count = 0;
    Account account;
    trace::Roofline roof;
};

/// Formats an optional number.
std::string number(const std::optional<double>& value, double unit, int width) {
    if (!value) return fmt::format("{:>{}}", "-", width);
    const double shown = *value / unit;
    constexpr double kFewDigits = 1000;
    return fmt::format("{:>{}.{}f}", shown, width, shown < kFewDigits ? 1 : 0);
}

std::string kind_row(const std::string& kind, const KindTotals& row, double all_us) {
    const double us = row.account.span.microseconds();
    return fmt::format(
        "{:>5} {:<22} {:>9.2f} {:>5.1f}%{} {:>7.2f} {} {} {} {:>4.0f}% {}\n", row.count,
        cut(kind, kKindWidth), us, percent(us, all_us), utilisations(row.account, 3),
        static_cast<double>(row.roof.dram.total()) / kMega, number(row.roof.intensity(), 1, 7),
        number(
            row.roof.operations > 0 ? std::optional(row.roof.achieved_per_second()) : std::nullopt,
            kGiga, 6),
        number(row.roof.roof_per_second(), kGiga, 7), row.roof.percent(),
        bound_name(row.roof.bound()));
}

/// Returns the rest without the host's launch and sync, which total_us() also excludes.
Account rest_on_chip(const ExecutionReport& report) {
    Account rest = report.rest;
    const std::int64_t around = report.account.span.value - (report.end - report.start).value;
    rest.span.value -= around;
    for (trace::EngineAccount& engine : rest.engines) {
        engine[trace::Cause::kIdle].value -= around;
    }
    return rest;
}

/// Returns e.g. ",gdma_commands,bdc_commands".
std::string command_columns(const trace::EngineList& engines) {
    std::string names;
    for (const trace::ListedEngine& engine : engines) {
        if (engine.kind) names += trace::column_name("," + engine.name + " commands");
    }
    return names;
}

std::string csv_row(const std::string& first, const Account& account, const trace::Roofline& roof,
                    const std::string& lost, double all_us, const std::string& columns) {
    const auto optional = [](const std::optional<double>& value) {
        return value ? fmt::format("{:.6g}", *value) : std::string();
    };
    const double us = account.span.microseconds();
    std::string commands;
    for (const trace::EngineAccount& engine : account.engines) {
        if (engine.engine.kind) commands += "," + std::to_string(engine.commands);
    }
    return fmt::format(
        "{},{:.6f},{:.4f}{},{:.0f},{},{},{},{:.6g},{},{:.3f},{},{:.6f},{:.6f},{:.6f},{}{}{}\n",
        first, us, percent(us, all_us), commands, roof.operations, roof.dram.read,
        roof.dram.written, optional(roof.intensity()), roof.achieved_per_second(),
        optional(roof.roof_per_second()), roof.percent(), bound_name(roof.bound()), roof.compute_us,
        roof.memory_us, roof.issue_us, lost, trace::account_columns(account), columns);
}

std::string bound_column(const std::optional<double>& us) {
    return us ? fmt::format(",{:.6f}", *us) : ",";
}

}  // namespace

trace::Roofline operator_roofline(const OperatorRecord& record,
                                  const models::MachineParams& machine) {
    const Account& account = record.share.account;
    return record.operations ? roofline(account, *record.operations, machine)
                             : roofline(account, machine);
}

trace::Roofline run_roofline(const ExecutionReport& report, const models::MachineParams& machine) {
    trace::Roofline sum;
    for (const OperatorRecord& record : report.operators) {
        sum.add(operator_roofline(record, machine));
    }
    sum.add(trace::roofline(rest_on_chip(report), 0, machine));
    return sum;
}

std::string operator_table(const ExecutionReport& report, const models::MachineParams& machine,
                           std::size_t most) {
    std::vector<std::size_t> chosen(report.operators.size());
    std::iota(chosen.begin(), chosen.end(), 0);
    const auto time = [&](std::size_t i) { return report.operators[i].share.account.span; };
    if (most > 0 && chosen.size() > most) {
        std::stable_sort(chosen.begin(), chosen.end(),
                         [&](std::size_t a, std::size_t b) { return time(a) > time(b); });
        chosen.resize(most);
        std::sort(chosen.begin(), chosen.end());
    }
    std::string text =
        fmt::format("{:>4} {:<22} {:>9} {:>6}{} {:>5} {:<7} {:<19} {}\n", "#", "operator", "us",
                    "share", engine_names(machine, 5), "roof", "bound", "most time lost", "output");
    for (const std::size_t i : chosen) {
        text += operator_row(report.operators[i], total_us(report), machine);
    }
    return text;
}

std::string kind_table(const ExecutionReport& report, const models::MachineParams& machine) {
    std::map<std::string, KindTotals> kinds;
    for (const OperatorRecord& record : report.operators) {
        KindTotals& row = kinds[operator_kind(record)];
        ++row.count;
        row.account.add(record.share.account);
        row.roof.add(operator_roofline(record, machine));
    }
    std::vector<std::pair<std::string, KindTotals>> sorted(kinds.begin(), kinds.end());
    std::stable_sort(sorted.begin(), sorted.end(), [](const auto& a, const auto& b) {
        return a.second.account.span > b.second.account.span;
    });
    std::string text = fmt::format("{:>5} {:<22} {:>9} {:>6}{} {:>7} {:>7} {:>6} {:>7} {:>5} {}\n",
                                   "count", "operator", "us", "share", engine_names(machine, 4),
                                   "DRAM MB", "op/byte", "Gop/s", "roof at", "roof", "bound");
    KindTotals all{report.operators.size(), rest_on_chip(report), run_roofline(report, machine)};
    const Account rest = all.account;
    for (const auto& [kind, row] : sorted) {
        text += kind_row(kind, row, total_us(report));
        all.account.add(row.account);
    }
    text +=
        kind_row("(start and end)", {0, rest, trace::roofline(rest, 0, machine)}, total_us(report));
    return text + kind_row("total", all, total_us(report));
}

std::string operator_csv(const ExecutionReport& report, const Machine& whole,
                         const StepBounds& bounds) {
    const models::MachineParams& machine = whole.params;
    const std::string columns = provenance_columns(whole);
    const trace::EngineList engines(machine);
    std::string text =
        "index,block,operator,output,origin,begin_us,end_us,us,percent" + command_columns(engines) +
        ",operations,dram_bytes_read,dram_bytes_written,operations_per_byte,"
        "achieved_operations_per_second,roof_operations_per_second,percent_of_roof,bound,"
        "least_compute_us,least_memory_us,least_issue_us,most_time_lost" +
        trace::account_column_names(engines) + trace::energy_column_names() +
        ",reachable_bound_us" + provenance_column_names() + "\n";
    const double all_us = total_us(report);
    const auto energy = [&](const Account& account) {
        return trace::energy_columns(account, machine);
    };
    for (std::size_t i = 0; i < report.operators.size(); ++i) {
        const OperatorRecord& record = report.operators[i];
        const auto bound = bounds.steps.find(i);
        const Account& account = record.share.account;
        const std::string first = fmt::format(
            "{},{},{},{},{},{:.6f},{:.6f}", record.op_index, trace::csv_field(record.block),
            operator_kind(record), trace::csv_field(record.output), trace::csv_field(record.origin),
            record.share.begin.microseconds(), record.share.end.microseconds());
        text +=
            csv_row(first, account, operator_roofline(record, machine),
                    lost_time_text(account, machine), all_us,
                    energy(account) +
                        bound_column(bound == bounds.steps.end() ? std::nullopt
                                                                 : std::optional(bound->second)) +
                        columns);
    }
    const auto around = [&](const char* name) {
        return fmt::format(",,{},,,{:.6f},{:.6f}", name, report.start.microseconds(),
                           report.end.microseconds());
    };
    text += csv_row(around("(rest)"), report.rest, trace::roofline(report.rest, 0, machine), "",
                    all_us, energy(report.rest) + bound_column(std::nullopt) + columns);
    return text + csv_row(around("(total)"), report.account, run_roofline(report, machine),
                          lost_time_text(report.account, machine), all_us,
                          energy(report.account) + bound_column(bounds.whole_us) + columns);
}

}  // namespace okksim::sim::report
