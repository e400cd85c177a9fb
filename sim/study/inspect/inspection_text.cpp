// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>
#include <fmt/ranges.h>

#include "isa/base/printable.h"
#include "sim/machine/provenance.h"
#include "sim/planning/graph_memory.h"
#include "sim/report/limit_report.h"
#include "sim/study/inspect/inspection.h"

namespace okksim::sim::inspect {
namespace {

constexpr double kMiB = 1024.0 * 1024.0;
/// Number of steps with the largest losses in the text.
constexpr std::size_t kShownSteps = 5;

/// Returns a count with three digits: "25.6 M".
std::string short_count(double count) {
    constexpr double kThousand = 1000;
    const char* const units[] = {"", " k", " M", " G", " T"};
    std::size_t unit = 0;
    while (count >= kThousand && unit + 1 < std::size(units)) {
        count /= kThousand;
        ++unit;
    }
    return fmt::format("{:.{}f}{}", count, unit == 0 ? 0 : 2, units[unit]);
}

std::string values_text(const char* title, const std::vector<ModelValue>& values) {
    std::string text;
    for (const ModelValue& value : values) {
        text += fmt::format("{:<9} {}  {} {}\n", title, printable(value.name), value.type,
                            graph::shape_text(value.shape));
        title = "";
    }
    return text;
}

std::string unsupported_text(const ModelFacts& facts) {
    if (facts.unsupported.empty()) return "";
    std::string text =
        fmt::format("\n{:>6}  {:<40} {}\n", "count", "unsupported", "first location");
    for (const UnsupportedOperator& item : facts.unsupported) {
        text += fmt::format("{:>6}  {:<40} {}\n", item.count, printable(item.what),
                            printable(item.place));
    }
    // The reader gives one advice for all operators, and so does the list of CUSTOM operators.
    return text + fmt::format("Advice: {}.\n", facts.unsupported.front().advice);
}

std::string uses_text(const ModelFacts& facts) {
    std::string text = fmt::format("\n{:<24} {:>6}  {:<48} {:<22} {}\n", "operator", "count",
                                   "data types", "row of", "supported");
    for (const OperatorUse& use : facts.uses) {
        text += fmt::format("{:<24} {:>6}  {:<48} {:<22} {}\n", tosa::op_name(use.mode.op),
                            use.mode.count, use.mode.mode, use.mode.needs,
                            use.supported ? "yes" : "NO");
    }
    return text;
}

std::string work_text(const ModelFacts& facts) {
    std::vector<std::string> parts;
    for (const KindWork& kind : facts.work) {
        constexpr double kLeastShown = 0.01;
        if (kind.operations < kLeastShown * facts.operations()) break;
        parts.push_back(
            fmt::format("{} {:.0f} %", kind.kind, 100 * kind.operations / facts.operations()));
    }
    return fmt::format(
        "{} operators; {} parameters in {:.1f} MiB; {} multiply-adds a run\n{}", facts.operators,
        short_count(static_cast<double>(facts.parameters)),
        static_cast<double>(facts.parameter_bytes) / kMiB, short_count(facts.multiply_adds()),
        parts.empty() ? "" : fmt::format("operations: {}\n", fmt::join(parts, ", ")));
}

std::string memory_text(const ModelFacts& facts, const Machine& machine) {
    if (!facts.memory_problem.empty()) return fmt::format("memory: {}\n", facts.memory_problem);
    return fmt::format("memory: at most {:.1f} MiB of the machine's {:.0f} MiB for graphs\n",
                       static_cast<double>(facts.memory_bytes) / kMiB,
                       static_cast<double>(planning::graph_memory(machine).bytes) / kMiB);
}

/// Returns the text of a file whose reader does not know all operators.
std::string unread_text(const Inspection& inspection) {
    const ModelFacts& facts = inspection.facts;
    std::string text = fmt::format("{}: not supported, because these operators are not read:\n{}",
                                   inspection.model, unsupported_text(facts));
    if (facts.errors.empty()) return text;
    return text + fmt::format("\nThe file also has errors:\n{}\n", fmt::join(facts.errors, "\n"));
}

std::string facts_text(const Inspection& inspection, const Machine& machine) {
    const ModelFacts& facts = inspection.facts;
    std::string text =
        fmt::format("{}: TOSA {}, level 8K; {}, {:.1f} MiB\n{}{}", inspection.model, facts.version,
                    facts.form, static_cast<double>(inspection.file_bytes) / kMiB,
                    values_text("inputs", facts.inputs), values_text("outputs", facts.outputs));
    if (!facts.violation.empty()) return text + fmt::format("not legal: {}\n", facts.violation);
    text += work_text(facts);
    text += fmt::format("needs: {}\n", facts.features.empty()
                                           ? "any profile"
                                           : fmt::format("{}", fmt::join(facts.features, ", ")));
    text += uses_text(facts) + unsupported_text(facts) + "\n" + memory_text(facts, machine);
    if (!facts.missing_weights.empty()) {
        text += fmt::format(
            "cannot run: {} constants have no values, {} the first: the file is compiled\n",
            facts.missing_weights.size(), facts.missing_weights.front());
    }
    text += facts.supported() ? "supported\n" : "not supported\n";
    if (!facts.supported()) return text;
    return text +
           (facts.emulated.empty()
                ? fmt::format("{} has instructions for all types of the model.\n", machine.name)
                : planning::emulation_text(facts.emulated, machine));
}

std::string time_text(const Inspection& inspection, const Machine& machine) {
    const execution::ModelRun& run = *inspection.run;
    if (run.report.fault) return fmt::format("no time: {}\n", run.report.fault->message());
    const double us = (run.report.end - run.report.start).microseconds();
    const report::LimitedRun limited{run.report, run.memory, run.limits, run.steps, machine.params};
    return fmt::format("\nTime on {}: {:.1f} us (`okksim run --no-data`)\n{}", machine.label(), us,
                       report::limit_text(limited, "run", kShownSteps));
}

std::string remedies_text(const Inspection& inspection) {
    if (inspection.remedies.empty()) return "";
    const execution::ModelRun& run = *inspection.run;
    const double now = (run.report.end - run.report.start).microseconds();
    std::string text =
        fmt::format("\nChanges that help, each alone with a new plan:\n{:>10} {:>8}  {}\n", "us",
                    "change", "what (flags)");
    for (const Remedy& remedy : inspection.remedies) {
        if (!remedy.failure.empty()) {
            text += fmt::format("{:>10} {:>8}  {} ({}): {}\n", "-", "-", remedy.what, remedy.flags,
                                remedy.failure);
            continue;
        }
        text += fmt::format("{:>10.1f} {:>+7.1f}%  {} ({})\n", remedy.us,
                            100 * (remedy.us - now) / now, remedy.what, remedy.flags);
    }
    return text;
}

}  // namespace

std::string inspection_text(const Inspection& inspection, const Machine& machine) {
    const std::string head = provenance_text(machine) + "\n";
    if (inspection.facts.version.empty()) return head + unread_text(inspection);
    std::string text = head + facts_text(inspection, machine);
    if (inspection.run) text += time_text(inspection, machine) + remedies_text(inspection);
    return text;
}

}  // namespace okksim::sim::inspect
