// SPDX-License-Identifier: Apache-2.0
#include "sim/execution/conformance.h"

#include <algorithm>
#include <new>
#include <nlohmann/json.hpp>

#include "isa/base/errors.h"
#include "isa/base/fault.h"
#include "isa/base/output_file.h"
#include "isa/base/stop_request.h"
#include "sim/check/check_tree.h"
#include "sim/execution/case_filter.h"
#include "sim/execution/case_run.h"
#include "sim/execution/case_twins.h"
#include "sim/execution/malformed_texts.h"
#include "sim/execution/process_pool.h"
#include "sim/execution/refusal_kinds.h"
#include "sim/graph/folder.h"
#include "sim/graph/formats/graph_formats.h"
#include "sim/graph/graph_errors.h"
#include "sim/graph/mlir/mlir_problem.h"
#include "sim/graph/npy.h"

namespace okksim::sim::execution {
namespace {

namespace fs = std::filesystem;

constexpr const char* kNotRun = "not run: the run was interrupted";

/// Returns the path below the tree without resolving links.
fs::path relative_to(const fs::path& folder, const fs::path& tree) {
    return folder.lexically_normal().lexically_relative(tree.lexically_normal());
}

/// File name of a test's graph in the tree ConformanceOptions::graphs.
constexpr const char* kTwinFile = "test.mlir";

void write_outputs(const check::TestCase& test, const CaseValues& values, const fs::path& folder) {
    graph::make_folder(folder);
    for (std::size_t i = 0; i < test.outputs.size(); ++i) {
        graph::save_tensor(folder / test.outputs[i].output_file, values.outputs[i]);
    }
    for (std::size_t i = 0; i < test.variables.size(); ++i) {
        graph::save_tensor(folder / test.variables[i].output_file, values.variables[i]);
    }
}

/// Returns the first output that breaks its rule, in words, or an empty string if all pass.
std::string judge(const std::vector<check::TestOutput>& expected,
                  const std::vector<graph::HostTensor>& got) {
    for (std::size_t i = 0; i < expected.size(); ++i) {
        const check::CheckResult result = check::check_output(expected[i], got[i]);
        if (!result.passed) return expected[i].name + ": " + result.text();
    }
    return {};
}

void refuse(const ConformanceOptions& options, const fs::path& relative, const char* why) {
    if (!options.out) return;
    graph::make_folder(*options.out / relative);
    write_file((*options.out / relative / check::kRejectedFile).string(), std::string(why) + "\n");
}

void note_crash(const fs::path& folder, const std::string& detail) {
    graph::make_folder(folder);
    write_file((folder / check::kCrashedFile).string(), detail + "\n");
}

/// Records the verdict on a graph that was read and refused for its content.
void judge_refusal(const check::TestCase& test, const ConformanceOptions& options,
                   const fs::path& relative, const char* why, CaseResult& result) {
    result.detail = why;
    refuse(options, relative, why);
    if (test.expects_rejection) result.status = CaseStatus::kPassed;
}

/// Fails a test whose graph breaks another rule than the test names.
void require_kind(const check::TestCase& test, const std::string& broken, CaseResult& result) {
    if (!test.expects_rejection || agrees_with_kind(test.error_if, broken)) return;
    result.status = CaseStatus::kFailed;
    result.detail = "is refused for another rule: the test names " + test.error_if + " (" +
                    test.rejection_reason + "), but the graph breaks: " + broken;
}

/// Records the verdict on a graph that ran.
void judge_values(const check::TestCase& test, const graph::Graph& graph, const CaseValues& values,
                  const std::optional<fs::path>& own_file, const ConformanceOptions& options,
                  CaseResult& result) {
    if (test.expects_rejection) {
        if (test.may_run) result.status = CaseStatus::kPassed;
        result.detail = (test.may_run ? "ran, and may run: " : "accepted, but must be refused: ") +
                        test.rejection_reason;
        return;
    }
    result.detail = judge(test.outputs, values.outputs);
    if (result.detail.empty()) result.detail = judge(test.variables, values.variables);
    if (result.detail.empty() && options.twins) {
        result.detail = judge_twins({test, graph, values, options}, own_file);
    }
    if (result.detail.empty()) result.status = CaseStatus::kPassed;
}

/// Returns the first unsupported part without its operator, such as "elements of double".
std::string refusal_reason(const graph::GraphFileError& error) {
    const std::string what = error.unread().empty() ? error.table() : error.unread()[0].what;
    const std::size_t with = what.find(" with ");
    return with == std::string::npos ? what : what.substr(with + 6);
}

/// Runs an .onnx or .tflite model. Every message of the reader, of validation or of the plan is a
/// refusal.
void run_model_case(const check::TestCase& test, const ConformanceOptions& options,
                    const fs::path& relative, CaseResult& result) {
    check::check_model_file(test.graph, test.origin);
    const auto refused = [&](const char* why) {
        judge_refusal(test, options, relative, why, result);
        if (test.may_refuse) result.status = CaseStatus::kPassed;
    };
    std::optional<graph::Graph> graph;
    try {
        graph = graph::load_graph(test.graph, case_read_options(test));
    } catch (const graph::GraphFileError& error) {
        refused(error.what());
        if (!test.lists_refusals || error.problem() == graph::FileProblem::kDamaged) return;
        result.status = CaseStatus::kRefused;
        result.reason = refusal_reason(error);
        return;
    } catch (const ConfigError& error) {
        return refused(error.what());
    } catch (const ProgramFault& fault) {
        return refused(fault.what());
    }
    try {
        const CaseValues values = run_case_graph(test, *graph, options);
        result.microseconds = values.microseconds;
        result.warnings = values.warnings;
        if (options.out) write_outputs(test, values, *options.out / relative);
        judge_values(test, *graph, values, std::nullopt, options, result);
    } catch (const ProgramFault& fault) {
        refused(fault.what());
    }
}

/// Reports verdicts on the graph only. Every other error, such as an unreadable file, is thrown to
/// the caller, because it does not concern the graph.
void run_loaded_case(const check::TestCase& test, const std::optional<fs::path>& own_file,
                     const ConformanceOptions& options, const fs::path& relative,
                     CaseResult& result) {
    try {
        const graph::Graph graph = graph::load_graph(test.graph, case_read_options(test));
        const CaseValues values = run_case_graph(test, graph, options);
        result.microseconds = values.microseconds;
        result.warnings = values.warnings;
        if (options.out) write_outputs(test, values, *options.out / relative);
        judge_values(test, graph, values, own_file, options, result);
    } catch (const ProgramFault& fault) {
        if (fault.record().code != FaultCode::kIllegalGraph &&
            fault.record().code != FaultCode::kUnpredictable) {
            throw;
        }
        judge_refusal(test, options, relative, fault.what(), result);
        require_kind(test, fault.what(), result);
    } catch (const graph::GraphFileError& error) {
        if (error.problem() == graph::FileProblem::kUnsupportedType && !test.expects_rejection) {
            result.status = CaseStatus::kSkipped;
            result.detail = error.what();
            return;
        }
        // A damaged file is no verdict on its graph, unless the test is about damage. In a text,
        // every error is one of the graph, with line and column.
        const bool is_text = dynamic_cast<const graph::GraphTextError*>(&error) != nullptr;
        const bool is_damaged = error.problem() == graph::FileProblem::kDamaged;
        if (!is_damaged || !(is_text || test.expects_damage)) throw;
        judge_refusal(test, options, relative, error.what(), result);
    }
}

}  // namespace

CaseResult run_case(const fs::path& folder, const ConformanceOptions& options, std::size_t graph) {
    CaseResult result;
    fs::path relative = relative_to(folder, options.tree);
    result.path = relative.string();
    try {
        check::TestCase test = std::move(check::load_test_cases(folder).at(graph));
        if (!test.part.empty()) relative /= test.part;
        result.path = relative.string();
        result.op = test.op;
        result.is_negative = test.expects_rejection;
        std::optional<fs::path> own_file;  // set if the graph is from another tree
        if (options.graphs) {
            own_file = test.graph;
            test.graph = *options.graphs / relative / kTwinFile;
            test.by_position = true;
            if (!fs::exists(test.graph)) {
                result.status = CaseStatus::kSkipped;
                result.detail = "has no MLIR text in " + options.graphs->string();
                return result;
            }
        }
        if (!check::has_model_file(test.graph, test.origin)) {
            result.status = CaseStatus::kSkipped;
            result.detail = "has no model file: fetch " + test.origin.package +
                            ", and name its folder with OKKSIM_MODELS_DIR";
            return result;
        }
        if (test.is_model && !options.graphs) {
            run_model_case(test, options, relative, result);
        } else {
            run_loaded_case(test, own_file, options, relative, result);
        }
    } catch (const OutputError& error) {
        result.status = CaseStatus::kFailed;
        result.detail = error.what();
        result.is_unwritten = true;
    } catch (const std::bad_alloc&) {
        throw;  // concerns the host
    } catch (const std::exception& error) {
        result.detail = error.what();
    }
    if (StopRequest::signal() != 0 && result.status != CaseStatus::kPassed) {
        result.status = CaseStatus::kSkipped;
        result.detail = kNotRun;
    }
    return result;
}

std::vector<CaseResult> run_conformance(
    const ConformanceOptions& options,
    const std::function<void(std::size_t, std::size_t)>& progress) {
    const CaseFilter filter(options.filter);
    if (options.out) graph::make_folder(*options.out);
    if (fs::exists(options.tree / kMalformedList)) return run_malformed(options);
    std::vector<std::pair<fs::path, std::size_t>> cases;  // a folder and one of its graphs
    for (const fs::path& folder : check::find_test_cases(options.tree)) {
        const std::string relative = relative_to(folder, options.tree).string();
        if (!filter.selects(relative)) continue;
        for (std::size_t graph = 0; graph < check::count_test_cases(folder); ++graph) {
            cases.emplace_back(folder, graph);
        }
    }
    if (cases.empty()) {
        throw ConfigError(options.tree.string(),
                          "holds no test (with desc.json or "
                          "test_data_set_0) that the filter selects");
    }
    const auto texts = run_in_processes(
        cases.size(), options.jobs,
        [&](std::size_t i) {
            const CaseResult result = run_case(cases[i].first, options, cases[i].second);
            return nlohmann::json{{"path", result.path},
                                  {"op", result.op},
                                  {"negative", result.is_negative},
                                  {"status", static_cast<int>(result.status)},
                                  {"detail", result.detail},
                                  {"microseconds", result.microseconds},
                                  {"warnings", result.warnings},
                                  {"unwritten", result.is_unwritten},
                                  {"reason", result.reason}}
                .dump(-1, ' ', false, nlohmann::json::error_handler_t::replace);
        },
        [&](std::size_t done) { progress(done, cases.size()); });
    std::vector<CaseResult> results;
    for (std::size_t i = 0; i < cases.size(); ++i) {
        CaseResult result;
        result.path = relative_to(cases[i].first, options.tree).string();
        result.detail = "the simulator crashed; this is a bug in okksim, please report it";
        if (options.out && !texts[i] && StopRequest::signal() == 0)
            note_crash(*options.out / result.path, result.detail);
        if (StopRequest::signal() != 0) {
            result.status = CaseStatus::kSkipped;
            result.detail = kNotRun;
        }
        if (texts[i]) {
            const auto json = nlohmann::json::parse(*texts[i]);
            result = {json["path"],     json["op"],
                      json["negative"], static_cast<CaseStatus>(json["status"].get<int>()),
                      json["detail"],   json["microseconds"],
                      json["warnings"], json["unwritten"],
                      json["reason"]};
        }
        results.push_back(std::move(result));
    }
    for (const fs::path& folder : check::find_lost_tests(options.tree)) {
        CaseResult result;
        result.path = relative_to(folder, options.tree).string();
        if (!filter.selects(result.path)) continue;
        result.status = CaseStatus::kSkipped;
        result.detail = "has a graph, but no desc.json with the expected results";
        results.push_back(std::move(result));
    }
    return results;
}

}  // namespace okksim::sim::execution
