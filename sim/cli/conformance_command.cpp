// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <memory>
#include <nlohmann/json.hpp>

#include "firmware/host/report_json.h"
#include "isa/base/errors.h"
#include "isa/base/printable.h"
#include "isa/base/stop_request.h"
#include "sim/check/test_case.h"
#include "sim/cli/commands.h"
#include "sim/cli/common_options.h"
#include "sim/cli/output.h"
#include "sim/cli/report_output.h"
#include "sim/execution/conformance.h"
#include "sim/machine/provenance.h"

namespace okksim::sim::cli {
namespace {

using execution::CaseResult;
using execution::CaseStatus;

struct ConformanceFlags {
    std::string tree;
    std::string out;
    std::string graphs;
    MachineChoice machine;
    std::string filter;
    int jobs = 0;
    ReportForms report;
    std::string sanitize = "fast";
    bool twins = false;
    bool strict = false;
    bool verbose = false;
};

struct Totals {
    std::size_t passed = 0, failed = 0, skipped = 0, refused = 0;
    std::size_t passed_negative = 0;  ///< passed cases whose graphs must be rejected
    void add(const CaseResult& result) {
        switch (result.status) {
            case CaseStatus::kPassed:
                ++passed;
                passed_negative += result.is_negative ? 1 : 0;
                return;
            case CaseStatus::kFailed: ++failed; return;
            case CaseStatus::kSkipped: ++skipped; return;
            case CaseStatus::kRefused: ++refused; return;
        }
    }
};

const char* status_word(CaseStatus status) {
    switch (status) {
        case CaseStatus::kPassed: return "pass";
        case CaseStatus::kFailed: return "FAIL";
        case CaseStatus::kSkipped: return "skip";
        case CaseStatus::kRefused: return "refused";
    }
    return "?";
}

void print_failures(const std::vector<CaseResult>& results) {
    std::map<std::string, std::vector<const CaseResult*>> by_operator;
    for (const CaseResult& result : results) {
        if (result.status == CaseStatus::kFailed) by_operator[result.op].push_back(&result);
    }
    for (const auto& [op, failures] : by_operator) {
        format_out("{}: {} failed\n", op.empty() ? "?" : printable(op), failures.size());
        for (const CaseResult* failure : failures) {
            format_out("  {}\n    {}\n", printable(failure->path), failure->detail);
        }
    }
}

/// Prints how many graphs the reader does not support, by the first unsupported part.
void print_refusals(const std::vector<CaseResult>& results) {
    std::map<std::string, std::size_t> counts;
    for (const CaseResult& result : results) {
        if (result.status == CaseStatus::kRefused) ++counts[result.reason];
    }
    if (!counts.empty()) format_out("not supported, by reason (--verbose names the tests):\n");
    for (const auto& [reason, count] : counts) format_out("{:6} {}\n", count, printable(reason));
}

/// Prints the chip's warnings about the kernels, for any verdict.
void print_warnings(const std::vector<CaseResult>& results) {
    std::size_t count = 0;
    for (const CaseResult& result : results) {
        if (result.warnings.empty()) continue;
        ++count;
        format_out("{}: warnings\n{}", printable(result.path), result.warnings);
    }
    if (count > 0) format_out("{} tests with warnings\n", count);
}

nlohmann::ordered_json to_json(const std::vector<CaseResult>& results, const Totals& totals) {
    nlohmann::ordered_json json = nlohmann::ordered_json::object();
    json["passed"] = totals.passed;
    json["failed"] = totals.failed;
    json["skipped"] = totals.skipped;
    json["refused"] = totals.refused;
    json["passed_negative"] = totals.passed_negative;
    json["cases"] = nlohmann::ordered_json::array();
    for (const CaseResult& result : results) {
        json["cases"].push_back({{"path", result.path},
                                 {"operator", result.op},
                                 {"negative", result.is_negative},
                                 {"passed", result.status == CaseStatus::kPassed},
                                 {"skipped", result.status == CaseStatus::kSkipped},
                                 {"refused", result.status == CaseStatus::kRefused},
                                 {"reason", result.reason},
                                 {"detail", result.detail},
                                 {"simulated_us", result.microseconds},
                                 {"warnings", result.warnings}});
    }
    return json;
}

/// Returns the folder `graphs`, or the folder of that name next to the tree.
std::filesystem::path twin_tree(const ConformanceFlags& flags) {
    if (std::filesystem::is_directory(flags.graphs)) return flags.graphs;
    const auto beside = std::filesystem::absolute(flags.tree).lexically_normal();
    const bool ends_in_slash = beside.filename().empty();
    const auto sibling =
        (ends_in_slash ? beside.parent_path() : beside).parent_path() / flags.graphs;
    if (std::filesystem::is_directory(sibling)) return sibling;
    throw ConfigError("--graphs " + flags.graphs,
                      "is no folder, and no folder of this name is next to the tree");
}

void print_text(const ConformanceFlags& flags, const Machine& machine,
                const std::vector<CaseResult>& results, const Totals& totals) {
    if (flags.verbose) {
        for (const CaseResult& result : results) {
            const std::string detail = result.detail.empty() ? "" : ": " + result.detail;
            print_verdicts(fmt::format("{} {}{}\n", status_word(result.status),
                                       printable(result.path), detail));
        }
    }
    print_failures(results);
    print_refusals(results);
    print_warnings(results);
    format_out("{}\n", provenance_text(machine));
    print_verdicts(fmt::format(
        "{} passed, {} failed, {}{} skipped; passed: {} positive tests, {} correctly refused",
        totals.passed, totals.failed,
        totals.refused == 0 ? "" : fmt::format("{} not supported, ", totals.refused),
        totals.skipped, totals.passed - totals.passed_negative, totals.passed_negative));
}

int run(const ConformanceFlags& flags) {
    const StopRequest stop;
    execution::ConformanceOptions options;
    options.tree = flags.tree;
    if (!std::filesystem::is_directory(options.tree)) {
        throw ConfigError(flags.tree, "is not a folder of test vectors");
    }
    if (!flags.out.empty()) options.out = flags.out;
    if (!flags.graphs.empty()) options.graphs = twin_tree(flags);
    options.filter = flags.filter;
    options.jobs = process_count(flags.jobs);
    options.twins = flags.twins;
    options.full_sanitizer = flags.sanitize == "full";
    options.machine = flags.machine.load();
    if (!flags.report.json.empty()) check::note_tests(options.tree);
    ReportOutput report(flags.report);
    const Progress progress("tests");
    const auto results = execution::run_conformance(
        options, [&](std::size_t done, std::size_t all) { progress.show(done, all); });
    Totals totals;
    for (const CaseResult& result : results) totals.add(result);
    if (report.wants_json()) {
        auto json = to_json(results, totals);
        add_provenance(json, options.machine);
        report.write_json(firmware::host::json_text(json));
    }
    if (report.wants_text()) print_text(flags, options.machine, results, totals);
    const auto unwritten = std::ranges::find_if(results, &CaseResult::is_unwritten);
    if (unwritten != results.end()) throw ConfigError(unwritten->path, unwritten->detail);
    if (totals.failed != 0) return kDifferences;
    if (totals.passed == 0 && StopRequest::signal() == 0) {
        throw ConfigError(flags.tree,
                          fmt::format("nothing was checked: all {} tests were skipped{}",
                                      totals.skipped + totals.refused,
                                      totals.refused == 0 ? "" : " or are not supported"));
    }
    const bool warned =
        flags.strict && std::any_of(results.begin(), results.end(), [](const CaseResult& result) {
            return !result.warnings.empty();
        });
    return warned ? kProgramFault : kSuccess;
}

}  // namespace

void add_conformance_command(CLI::App& app, int& exit_code) {
    auto flags = std::make_shared<ConformanceFlags>();
    CLI::App* command =
        app.add_subcommand("conformance",
                           "Run a tree of test vectors of graphs (desc.json, graphs, .npy "
                           "files) and judge every\n"
                           "output by the test's rule. A graph that must be refused passes if it "
                           "is refused. The tests of\n"
                           "the ONNX project (a model and test_data_set_0) run, too. Examples:\n"
                           "  okksim conformance vectors --filter conv2d --json=results.json\n"
                           "  okksim conformance /usr/share/libonnx-testdata/data/node");
    command->add_option("tree", flags->tree, "folder of the vectors")->required();
    command->add_option("-o,--out", flags->out,
                        "also write outputs here, under the same relative paths; a refused graph "
                        "writes a file REJECTED");
    command->add_option("--graphs", flags->graphs,
                        "take each test's graph from this tree of MLIR texts (TEST/test.mlir); a "
                        "folder, or the name of one next to the tree");
    command->add_flag("--twins", flags->twins,
                      "also write each graph as MLIR text and as TOSA 1.0, read and run both: "
                      "graph, bytes and simulated time must be the same");
    command->add_option("--filter", flags->filter, "regular expression on the test's path");
    add_jobs_option(*command, flags->jobs);
    add_machine_options(*command, flags->machine);
    command
        ->add_option("--sanitize", flags->sanitize,
                     "full: check built-in kernels as strictly as user kernels")
        ->check(CLI::IsMember({"fast", "full"}))
        ->capture_default_str();
    command->add_flag("--strict", flags->strict, "treat warnings as errors (exit code 3)");
    command->add_flag("--verbose,-v", flags->verbose, "print a line for every test");
    add_json_option(*command, flags->report, "the results as JSON");
    command->callback([flags, &exit_code] { exit_code = run(*flags); });
}

}  // namespace okksim::sim::cli
