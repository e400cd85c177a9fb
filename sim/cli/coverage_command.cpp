// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <memory>
#include <nlohmann/json.hpp>

#include "firmware/host/report_json.h"
#include "isa/base/fault.h"
#include "sim/cli/commands.h"
#include "sim/cli/common_options.h"
#include "sim/cli/output.h"
#include "sim/cli/report_output.h"
#include "sim/execution/custom_operator.h"
#include "sim/execution/executor.h"
#include "sim/graph/formats/graph_formats.h"
#include "sim/graph/graph_errors.h"
#include "sim/graph/operator_walk.h"
#include "sim/graph/validate/validate.h"
#include "sim/machine/machine.h"
#include "sim/machine/provenance.h"
#include "sim/planning/graph_memory.h"
#include "sim/planning/machine_plan.h"
#include "sim/planning/memory_need.h"

namespace okksim::sim::cli {
namespace {

struct CoverageFlags {
    GraphChoice graph;
    MachineChoice machine;
    ReportForms report;
};

struct ModeCoverage {
    graph::OperatorMode mode;
    bool supported = false;
};

struct Coverage {
    std::string form;  ///< form of the file
    std::string version;
    std::vector<std::string> features;
    std::vector<ModeCoverage> modes;
    graph::UnreadItems unread;
    std::vector<std::string> errors;  ///< errors of a text in addition to `unread`
    std::string violation;            ///< reason why the graph is invalid; empty for a valid graph
    std::uint64_t memory_bytes = 0;
    std::string memory_problem;
    std::vector<std::string> missing_weights;  ///< constants without values in the file

    bool supported() const {
        return unread.empty() && violation.empty() && memory_problem.empty() &&
               missing_weights.empty() &&
               std::all_of(modes.begin(), modes.end(),
                           [](const ModeCoverage& mode) { return mode.supported; });
    }
};

bool runs_custom_operators(const graph::Graph& graph) {
    bool all_run = true;
    graph::for_each_operator(graph, [&](const graph::Block&, const graph::Operator& op) {
        if (op.op != tosa::OpCode::kCustom) return;
        all_run &= execution::runs_custom_operator(op.attributes_as<tosa::CustomAttributes>());
    });
    return all_run;
}

/// Checks the memory. A plan gives the exact need, but takes much more time and memory than the
/// graph. Therefore it is made only if the graph might not fit.
void cover_memory(const graph::Graph& graph, const Machine& machine, Coverage& coverage) {
    // Kernels may also need constants in another form, of up to four times the bytes.
    constexpr std::uint64_t kForms = 5;
    planning::check_machine(machine);
    const planning::MemoryNeed need = planning::memory_need(graph);
    coverage.memory_bytes = need.bytes();
    const std::uint64_t most = need.bytes() + (kForms - 1) * need.constant_bytes;
    if (most < planning::graph_memory(machine).bytes) return;
    try {
        const planning::GraphPlan plan = planning::plan_for_machine(graph, machine);
        coverage.memory_bytes = plan.constant_bytes + plan.variable_bytes + plan.working_bytes;
    } catch (const ProgramFault& fault) {
        coverage.memory_problem = fault.what();
    }
}

Coverage cover_graph(const CoverageFlags& flags, const Machine& machine) {
    const graph::Graph graph = flags.graph.load(true);
    Coverage coverage;
    coverage.form = graph.format;
    coverage.missing_weights = graph.missing_weights;
    coverage.version = fmt::format("{}.{}.{}{}", graph.version.major, graph.version.minor,
                                   graph.version.patch, graph.version.draft ? " draft" : "");
    try {
        graph::validate_graph(graph);
    } catch (const ProgramFault& fault) {
        coverage.violation = fault.what();
        return coverage;
    }
    const graph::FeatureSet features = graph::required_features(graph);
    for (int i = 0; i < graph::kFeatureCount; ++i) {
        const auto feature = static_cast<graph::Feature>(i);
        if ((features & graph::feature_bit(feature)) != 0) {
            coverage.features.emplace_back(graph::feature_name(feature));
        }
    }
    for (const graph::OperatorMode& mode : graph::operator_modes(graph)) {
        // Every operator has a kernel, or the runner of the graph executes it.
        const bool runs = mode.op != tosa::OpCode::kCustom || runs_custom_operators(graph);
        coverage.modes.push_back({mode, runs});
    }
    cover_memory(graph, machine, coverage);
    return coverage;
}

Coverage cover(const CoverageFlags& flags, const Machine& machine) {
    try {
        return cover_graph(flags, machine);
    } catch (const graph::GraphFileError& error) {
        if (error.unread().empty()) throw;
        Coverage coverage;
        coverage.unread = error.unread();
        coverage.errors = error.damages();
        return coverage;
    }
}

void print_unread(const Coverage& coverage, const std::string& model) {
    std::string table = fmt::format("{:>6}  {:<40} {}\n", "count", "what", "first location");
    for (const graph::UnreadItem& item : coverage.unread) {
        table += fmt::format("{:>6}  {:<40} {}\n", item.count, item.what, item.place);
    }
    format_out(
        "{}: not supported, because these operators are not read:\n\n"
        "{}",
        model, table);
    if (coverage.errors.empty()) return;
    format_out(
        "\n"
        "The file also has errors:\n"
        "{}\n",
        fmt::join(coverage.errors, "\n"));
}

void print_text(const Coverage& coverage, const std::string& model) {
    if (!coverage.unread.empty()) return print_unread(coverage, model);
    format_out("{}: TOSA {}, level 8K\n", model, coverage.version);
    if (!coverage.violation.empty()) {
        format_out("not legal: {}\n", coverage.violation);
        return;
    }
    format_out("needs: {}\n", coverage.features.empty()
                                  ? "any profile"
                                  : fmt::format("{}", fmt::join(coverage.features, ", ")));
    std::string table = fmt::format("\n{:<24} {:>6}  {:<48} {:<22} {}\n", "operator", "count",
                                    "data types", "row of", "supported");
    for (const ModeCoverage& row : coverage.modes) {
        table += fmt::format("{:<24} {:>6}  {:<48} {:<22} {}\n", tosa::op_name(row.mode.op),
                             row.mode.count, row.mode.mode, row.mode.needs,
                             row.supported ? "yes" : "NO");
    }
    write_text(table);
    if (!coverage.memory_problem.empty()) {
        format_out("\nmemory: {}\n", coverage.memory_problem);
    } else {
        format_out("\nmemory: at most {:.1f} MiB of the machine's global memory\n",
                   static_cast<double>(coverage.memory_bytes) / (1 << 20));
    }
    if (!coverage.missing_weights.empty()) {
        format_out("cannot run: {} constants have no values, {} the first: the file is compiled\n",
                   coverage.missing_weights.size(), coverage.missing_weights.front());
    }
    format_out("{}\n", coverage.supported() ? "supported" : "not supported");
}

nlohmann::ordered_json to_json(const Coverage& coverage) {
    nlohmann::ordered_json json{{"supported", coverage.supported()},
                                {"form", coverage.form},
                                {"version", coverage.version},
                                {"level", "8K"},
                                {"needs", coverage.features},
                                {"violation", coverage.violation},
                                {"memory_bytes", coverage.memory_bytes},
                                {"memory_problem", coverage.memory_problem},
                                {"missing_weights", coverage.missing_weights},
                                {"errors", coverage.errors},
                                {"unread", nlohmann::ordered_json::array()},
                                {"operators", nlohmann::ordered_json::array()}};
    for (const graph::UnreadItem& item : coverage.unread) {
        json["unread"].push_back(
            {{"what", item.what}, {"count", item.count}, {"place", item.place}});
    }
    for (const ModeCoverage& row : coverage.modes) {
        json["operators"].push_back({{"operator", tosa::op_name(row.mode.op)},
                                     {"count", row.mode.count},
                                     {"data_types", row.mode.mode},
                                     {"needs", row.mode.needs},
                                     {"supported", row.supported}});
    }
    return json;
}

}  // namespace

void add_coverage_command(CLI::App& app, int& exit_code) {
    auto flags = std::make_shared<CoverageFlags>();
    CLI::App* command = app.add_subcommand("coverage",
                                           "List the requirements of a model, and whether each is "
                                           "supported, without running the model:\n"
                                           "operators, data types, profiles and extensions, level, "
                                           "memory. Exit code 1 if one is unsupported.\n"
                                           "Example:\n"
                                           "  okksim coverage model.tosa");
    add_graph_options(*command, flags->graph);
    add_machine_options(*command, flags->machine);
    add_json_option(*command, flags->report);
    command->callback([flags, &exit_code] {
        const Machine machine = flags->machine.load();
        ReportOutput report(flags->report);
        const Coverage coverage = cover(*flags, machine);
        if (report.wants_json()) {
            auto json = to_json(coverage);
            add_provenance(json, machine);
            report.write_json(firmware::host::json_text(json));
        }
        if (report.wants_text()) {
            format_out("{}\n", provenance_text(machine));
            print_text(coverage, flags->graph.model);
        }
        exit_code = coverage.supported() ? kSuccess : kDifferences;
        if (!coverage.errors.empty()) exit_code = kUsage;
    });
}

}  // namespace okksim::sim::cli
