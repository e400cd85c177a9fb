// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <nlohmann/json.hpp>
#include <set>

#include "isa/base/printable.h"
#include "isa/base/stop_request.h"
#include "sim/machine/provenance.h"
#include "sim/study/gate/compare_baselines.h"

namespace okksim::sim::gate {
namespace {

std::size_t failures(const std::vector<CaseComparison>& cases) {
    return static_cast<std::size_t>(std::count_if(
        cases.begin(), cases.end(), [](const CaseComparison& c) { return !passes(c.verdict); }));
}

/// Returns the number of cases without a counterpart.
std::size_t additions(const std::vector<CaseComparison>& cases) {
    return static_cast<std::size_t>(
        std::ranges::count(cases, Verdict::kAdded, &CaseComparison::verdict));
}

/// Returns the number of cases that a filter did not select.
std::size_t left_out(const std::vector<CaseComparison>& cases) {
    return static_cast<std::size_t>(
        std::ranges::count(cases, Verdict::kLeftOut, &CaseComparison::verdict));
}

std::size_t passed(const std::vector<CaseComparison>& cases) {
    return cases.size() - failures(cases) - additions(cases) - left_out(cases);
}

/// Returns the machines of one side without duplicates.
std::string machines_of(const std::vector<CaseComparison>& cases,
                        std::string CaseComparison::*machine) {
    std::set<std::string> machines;
    for (const CaseComparison& c : cases) {
        if (!(c.*machine).empty()) machines.insert(c.*machine);
    }
    return fmt::format("{}", fmt::join(machines, "; "));
}

std::string xml_escaped(const std::string& text) {
    std::string escaped;
    // XML cannot represent control characters.
    for (const char c : printable_lines(text)) {
        switch (c) {
            case '&': escaped += "&amp;"; break;
            case '<': escaped += "&lt;"; break;
            case '>': escaped += "&gt;"; break;
            case '"': escaped += "&quot;"; break;
            default: escaped += c;
        }
    }
    return escaped;
}

/// Returns the measured values of a gate's workload with their limits.
nlohmann::ordered_json metrics_json(const CaseComparison& c) {
    nlohmann::ordered_json json = nlohmann::ordered_json::object();
    for (const CaseMetric& metric : c.metrics) {
        json[metric.name]["value"] = metric.value;
        if (metric.base) json[metric.name]["base"] = *metric.base;
        if (metric.limit) json[metric.name]["limit"] = *metric.limit;
    }
    return json;
}

/// Returns the first words about a failure: the change of time, or the reason without a baseline.
std::string failure_words(const CaseComparison& c) {
    const bool has_base = c.metrics.empty() || c.base_us > 0;
    if (has_base || c.reasons.empty()) return fmt::format("{:+.2f} %", 100 * c.change());
    return c.reasons.front();
}

}  // namespace

std::string comparison_summary(const std::vector<CaseComparison>& cases, double threshold) {
    const std::size_t added = additions(cases);
    const std::size_t out = left_out(cases);
    return fmt::format("{} passed, {} failed{}{} (threshold {:.1f} %)", passed(cases),
                       failures(cases), added == 0 ? "" : fmt::format(", {} added", added),
                       out == 0 ? "" : fmt::format(", {} left out by --filter", out),
                       100 * threshold);
}

std::string comparison_origin(const std::vector<CaseComparison>& cases) {
    const std::string text =
        fmt::format("base: {}; new: {}; {}", machines_of(cases, &CaseComparison::base_machine),
                    machines_of(cases, &CaseComparison::new_machine), version_text());
    return StopRequest::signal() == 0 ? text : text + "; " + stopped_text();
}

std::string comparison_text(const std::vector<CaseComparison>& cases, double threshold) {
    std::string text = fmt::format("{:<32} {:>12} {:>12} {:>8}  {}\n", "kernel", "base us",
                                   "new us", "change", "verdict");
    for (const CaseComparison& c : cases) {
        if (c.verdict == Verdict::kLeftOut) continue;  // only their number is of interest
        text += fmt::format("{:<32} {:>12.2f} {:>12.2f} {:>+7.2f}%  {}\n", printable(c.name),
                            c.base_us, c.new_us, 100 * c.change(), verdict_name(c.verdict));
        if (c.verdict == Verdict::kSame) continue;
        for (const std::string& reason : c.reasons) text += "    " + reason + "\n";
    }
    return text + comparison_origin(cases) + "\n" + comparison_summary(cases, threshold) + "\n";
}

std::string comparison_markdown(const std::vector<CaseComparison>& cases, double threshold) {
    std::string text =
        "| kernel | base us | new us | change | verdict | why |\n|---|--:|--:|--:|---|---|\n";
    for (const CaseComparison& c : cases) {
        if (c.verdict == Verdict::kLeftOut) continue;
        std::string reasons;
        for (const std::string& reason : c.reasons) {
            reasons += (reasons.empty() ? "" : "; ") + reason;
        }
        std::replace(reasons.begin(), reasons.end(), '|', '/');
        text +=
            fmt::format("| {} | {:.2f} | {:.2f} | {:+.2f} % | {} | {} |\n", printable(c.name),
                        c.base_us, c.new_us, 100 * c.change(), verdict_name(c.verdict), reasons);
    }
    return text + "\n" + comparison_origin(cases) + "  \n" + comparison_summary(cases, threshold) +
           "\n";
}

std::string comparison_json(const std::vector<CaseComparison>& cases, double threshold) {
    nlohmann::ordered_json json{
        {"passed", passed(cases)},   {"failed", failures(cases)},
        {"added", additions(cases)}, {"left_out", left_out(cases)},
        {"threshold", threshold},    {"cases", nlohmann::ordered_json::array()}};
    add_version(json);
    for (const CaseComparison& c : cases) {
        json["cases"].push_back({{"name", c.name},
                                 {"verdict", verdict_name(c.verdict)},
                                 {"passed", passes(c.verdict)},
                                 {"base_us", c.base_us},
                                 {"new_us", c.new_us},
                                 {"change", c.change()},
                                 {"base_machine", c.base_machine},
                                 {"new_machine", c.new_machine},
                                 {"reasons", c.reasons}});
        if (!c.metrics.empty()) json["cases"].back()["metrics"] = metrics_json(c);
        if (!c.warnings.empty()) json["cases"].back()["warnings"] = c.warnings;
    }
    return json.dump(2, ' ', false, nlohmann::json::error_handler_t::replace) + "\n";
}

std::string comparison_junit(const std::vector<CaseComparison>& cases, const std::string& suite) {
    std::string text = fmt::format(
        "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<testsuite name=\"{}\" "
        "tests=\"{}\" "
        "failures=\"{}\">\n",
        xml_escaped(suite), cases.size(), failures(cases));
    const auto property = [&text](const char* name, const std::string& value) {
        text += fmt::format("    <property name=\"{}\" value=\"{}\"/>\n", name, xml_escaped(value));
    };
    text += "  <properties>\n";
    property("base_machine", machines_of(cases, &CaseComparison::base_machine));
    property("new_machine", machines_of(cases, &CaseComparison::new_machine));
    property("okksim_version", okksim_version());
    property("schema_version", std::to_string(kReportSchema));
    if (StopRequest::signal() != 0) property("stopped", StopRequest::text());
    text += "  </properties>\n";
    for (const CaseComparison& c : cases) {
        text += fmt::format("  <testcase classname=\"okksim\" name=\"{}\" time=\"{:.9f}\"",
                            xml_escaped(c.name), c.new_us * 1e-6);
        if (c.verdict == Verdict::kLeftOut) {
            text += "><skipped/></testcase>\n";
            continue;
        }
        if (passes(c.verdict)) {
            text += "/>\n";
            continue;
        }
        std::string reasons;
        for (const std::string& reason : c.reasons) reasons += reason + "\n";
        text += fmt::format(">\n    <failure message=\"{} {}\">{}</failure>\n  </testcase>\n",
                            verdict_name(c.verdict), xml_escaped(failure_words(c)),
                            xml_escaped(reasons));
    }
    return text + "</testsuite>\n";
}

}  // namespace okksim::sim::gate
