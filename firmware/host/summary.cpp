// SPDX-License-Identifier: Apache-2.0
#include "firmware/host/summary.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <cstdio>
#include <nlohmann/json.hpp>
#include <set>

#include "firmware/host/report_json.h"
#include "isa/errors.h"
#include "isa/output_file.h"

namespace okksim::firmware::host {
namespace {

struct Totals {
    double simulated_us = 0;
    std::uint64_t gdma_commands = 0;
    std::uint64_t bdc_commands = 0;
    std::size_t faults = 0;
    std::size_t findings = 0;
};

Totals totals_of(const std::vector<LaunchReport>& reports) {
    Totals totals;
    for (const LaunchReport& report : reports) {
        totals.simulated_us += report.simulated_us;
        totals.gdma_commands += report.gdma_commands;
        totals.bdc_commands += report.bdc_commands;
        totals.faults += report.fault ? 1 : 0;
        totals.findings += report.findings.size();
    }
    return totals;
}

/// Names the kernels whose own computing takes no time, each once; nothing when there are none.
std::string untimed_text(const std::vector<LaunchReport>& reports) {
    std::set<std::string> kernels;
    for (const LaunchReport& report : reports) {
        if (report.computations == 0) kernels.insert(report.name);
    }
    if (kernels.empty()) return "";
    return fmt::format("own computing not timed: {} (see okk_compute in okk_access.h)\n",
                       fmt::join(kernels, ", "));
}

}  // namespace

std::string summary_text(const std::vector<LaunchReport>& reports) {
    std::string text = fmt::format("{:>6}  {:<32} {:>14} {:>9} {:>9}  {}\n", "launch", "kernel",
                                   "simulated us", "gdma", "bdc", "fault");
    std::size_t number = 0;
    for (const LaunchReport& report : reports) {
        text += fmt::format("{:>6}  {:<32} {:>14.3f} {:>9} {:>9}  {}\n", ++number, report.name,
                            report.simulated_us, report.gdma_commands, report.bdc_commands,
                            report.fault ? report.fault->message() : "-");
        text += findings_text(report.findings, "        ");
    }
    const Totals totals = totals_of(reports);
    text += fmt::format("{:>6}  {:<32} {:>14.3f} {:>9} {:>9}  {} faults, {} warnings\n", "total",
                        "", totals.simulated_us, totals.gdma_commands, totals.bdc_commands,
                        totals.faults, totals.findings);
    return text + untimed_text(reports);
}

std::string summary_json(const std::vector<LaunchReport>& reports) {
    auto launches = nlohmann::ordered_json::array();
    for (const LaunchReport& report : reports) {
        launches.push_back(launch_json(report));
    }
    const Totals totals = totals_of(reports);
    const nlohmann::ordered_json document{{"launches", std::move(launches)},
                                          {"totals",
                                           {{"launches", reports.size()},
                                            {"simulated_us", totals.simulated_us},
                                            {"gdma_commands", totals.gdma_commands},
                                            {"bdc_commands", totals.bdc_commands},
                                            {"faults", totals.faults},
                                            {"warnings", totals.findings}}}};
    return json_text(document);
}

bool write_summary(const std::vector<LaunchReport>& reports, const std::string& path) {
    if (path.empty()) {
        const std::string text = summary_text(reports);
        return std::fwrite(text.data(), 1, text.size(), stderr) == text.size();
    }
    try {
        write_file(path, path.ends_with(".json") ? summary_json(reports) : summary_text(reports));
    } catch (const ConfigError&) {
        return false;
    }
    return true;
}

}  // namespace okksim::firmware::host
