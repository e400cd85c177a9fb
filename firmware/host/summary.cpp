// SPDX-License-Identifier: Apache-2.0
#include "firmware/host/summary.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <cstdio>
#include <nlohmann/json.hpp>
#include <set>

#include "firmware/host/report_json.h"
#include "isa/base/errors.h"
#include "isa/base/output_file.h"

namespace okksim::firmware::host {
namespace {

struct Totals {
    double simulated_us = 0;
    isa::CommandCounts commands;
    std::size_t faults = 0;
    std::size_t findings = 0;
};

Totals totals_of(const LaunchHistory& history) {
    Totals totals;
    totals.simulated_us = history.simulated_us();
    history.for_each_report(
        [&](const LaunchReport& report) { totals.commands += report.commands; });
    for (const auto& [name, earlier] : history.earlier()) {
        totals.faults += earlier.faults;
        totals.findings += earlier.findings;
    }
    for (const LaunchReport& report : history.kept()) {
        totals.faults += report.fault ? 1 : 0;
        totals.findings += report.findings.size();
    }
    return totals;
}

/// Columns of counts: their names, and a row's.
std::string count_heads() {
    std::string text;
    isa::CommandCounts().visit([&](isa::Engine kind, std::uint64_t) {
        std::string name = isa::count_name(kind);
        text += fmt::format(" {:>9}", name.substr(0, name.find('_')));
    });
    return text;
}
std::string count_columns(const isa::CommandCounts& counts) {
    std::string text;
    counts.visit([&](isa::Engine, std::uint64_t count) { text += fmt::format(" {:>9}", count); });
    return text;
}

std::string earlier_text(const LaunchHistory& history) {
    std::string text;
    for (const auto& [name, earlier] : history.earlier()) {
        text += fmt::format(
            "{:>6}  {:<32} {:>14.3f}{}  {} faults, {} warnings in the first {} launches\n", "",
            name, earlier.sum.simulated_us, count_columns(earlier.sum.commands), earlier.faults,
            earlier.findings, earlier.launches);
    }
    return text;
}

nlohmann::ordered_json earlier_json(const LaunchHistory& history) {
    auto json = nlohmann::ordered_json::array();
    for (const auto& [name, earlier] : history.earlier()) {
        json.push_back({{"kernel", name},
                        {"launches", earlier.launches},
                        {"simulated_us", earlier.sum.simulated_us}});
        add_counts(json.back(), earlier.sum.commands);
        json.back()["faults"] = earlier.faults;
        json.back()["warnings"] = earlier.findings;
    }
    return json;
}

/// "WHAT: NAMES (ADVICE)" of the kernels that something holds of, each once; nothing when there are
/// none.
template <typename Holds>
std::string kernels_text(const LaunchHistory& history, const char* what, const char* advice,
                         const Holds& holds) {
    std::set<std::string> kernels;
    history.for_each_report([&](const LaunchReport& report) {
        if (holds(report)) kernels.insert(report.name);
    });
    if (kernels.empty()) return "";
    return fmt::format("{}: {} ({})\n", what, fmt::join(kernels, ", "), advice);
}

std::string notes_text(const LaunchHistory& history) {
    const std::string unseen = unseen_text(history, kRaiseHere);
    return kernels_text(history, "control-processor arithmetic not timed",
                        "see okk_compute in okk_access.h",
                        [](const LaunchReport& report) { return report.computations == 0; }) +
           kernels_text(history, "pointer accesses checked in part",
                        "OKKSIM_SANITIZE=full checks all of them",
                        [](const LaunchReport& report) { return report.uses_pointers_unseen; }) +
           (unseen.empty() ? "" : unseen + "\n");
}

}  // namespace

std::string unseen_text(const LaunchHistory& history, std::string_view raise) {
    std::set<std::string> kernels;
    UnseenTime all;
    history.for_each_report([&](const LaunchReport& report) {
        if (!report.unseen) return;
        kernels.insert(report.name);
        all += *report.unseen;
    });
    if (kernels.empty()) return "";
    const std::string advice =
        all.of_program ? fmt::format("{} checks all of them, without a time limit", raise)
                       : "check a run that records no data";
    return fmt::format(
        "pointer accesses unchecked for {:.3f} of {:.3f} s of {}, because the checks had used "
        "their share of the time; {}",
        all.seconds, all.of_seconds, fmt::join(kernels, ", "), advice);
}

std::string summary_text(const LaunchHistory& history, const Provenance& origin) {
    std::string text = fmt::format("{:>6}  {:<32} {:>14}{}  {}\n", "launch", "kernel",
                                   "simulated us", count_heads(), "fault");
    text += earlier_text(history);
    FindingRepeats repeats = repeats_of(history.kept());
    std::size_t number = history.count() - history.kept().size();
    for (const LaunchReport& report : history.kept()) {
        text += fmt::format("{:>6}  {:<32} {:>14.3f}{}  {}\n", ++number, report.name,
                            report.simulated_us, count_columns(report.commands),
                            report.fault ? report.fault->message() : "-");
        text += findings_text(report.findings, "        ", repeats);
    }
    const Totals totals = totals_of(history);
    text += fmt::format("{:>6}  {:<32} {:>14.3f}{}  {} faults, {} warnings\n", "total", "",
                        totals.simulated_us, count_columns(totals.commands), totals.faults,
                        totals.findings);
    return text + notes_text(history) + (origin.text.empty() ? "" : origin.text + "\n");
}

std::string summary_json(const LaunchHistory& history, const Provenance& origin) {
    auto launches = nlohmann::ordered_json::array();
    FindingRepeats repeats = repeats_of(history.kept());
    for (const LaunchReport& report : history.kept()) {
        launches.push_back(launch_json(report, repeats));
    }
    const Totals totals = totals_of(history);
    nlohmann::ordered_json sums{{"launches", history.count()},
                                {"simulated_us", totals.simulated_us}};
    add_counts(sums, totals.commands);
    sums["faults"] = totals.faults;
    sums["warnings"] = totals.findings;
    nlohmann::ordered_json json{{"launches", std::move(launches)}, {"totals", std::move(sums)}};
    if (!history.earlier().empty()) json["earlier_launches"] = earlier_json(history);
    json.update(nlohmann::ordered_json::parse(origin.json));
    return json_text(json);
}

bool write_summary(const LaunchHistory& history, const Provenance& origin,
                   const std::string& path) {
    if (path.empty()) {
        const std::string text = summary_text(history, origin);
        return std::fwrite(text.data(), 1, text.size(), stderr) == text.size();
    }
    try {
        write_file(path, path.ends_with(".json") ? summary_json(history, origin)
                                                 : summary_text(history, origin));
    } catch (const ConfigError&) {
        return false;
    }
    return true;
}

}  // namespace okksim::firmware::host
