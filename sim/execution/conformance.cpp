// SPDX-License-Identifier: Apache-2.0
#include "sim/execution/conformance.h"

#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "isa/errors.h"
#include "isa/fault.h"
#include "isa/output_file.h"
#include "isa/stop_request.h"
#include "sim/check/check_tree.h"
#include "sim/execution/case_filter.h"
#include "sim/execution/executor.h"
#include "sim/execution/malformed_texts.h"
#include "sim/execution/process_pool.h"
#include "sim/graph/folder.h"
#include "sim/graph/formats/graph_formats.h"
#include "sim/graph/graph_errors.h"
#include "sim/graph/mapped_file.h"
#include "sim/graph/validate/validate.h"
#include "sim/planning/machine_plan.h"

namespace okksim::sim::execution {
namespace {

namespace fs = std::filesystem;

constexpr const char* kNotRun = "not run: the user asked for an end";

/// Below the tree whatever links it holds.
fs::path relative_to(const fs::path& folder, const fs::path& tree) {
    return folder.lexically_normal().lexically_relative(tree.lexically_normal());
}

/// The graph of a test in the tree of its twins.
constexpr const char* kTwinFile = "test.mlir";

/// Outputs and states of a test's graph, in the order that the test lists them.
struct CaseValues {
    std::string warnings;
    std::vector<graph::HostTensor> outputs;
    std::vector<graph::HostTensor> variables;
    double microseconds = 0;
};

/// Where value `index` of the test is in a list of the graph.
std::size_t position_of(const graph::Block& block, std::span<const graph::TensorIndex> list,
                        const std::string& name, const check::TestCase& test, std::size_t index,
                        const char* what) {
    if (test.by_position) {
        if (index < list.size()) return index;
        throw ConfigError(
            name, fmt::format("the graph has {} {}s; the test has more", list.size(), what));
    }
    for (std::size_t i = 0; i < list.size(); ++i) {
        if (block.tensors[list[i]].name == name) return i;
    }
    throw ConfigError(name, fmt::format("the graph has no {} of this name", what));
}

/// Inputs of the test by name; some may be constants of the graph.
void load_named_inputs(const check::TestCase& test, const graph::Block& main,
                       GraphExecutor& executor) {
    for (std::size_t index = 0; index < main.inputs.size(); ++index) {
        graph::Tensor tensor = main.tensors[main.inputs[index]];
        const auto input =
            std::find_if(test.inputs.begin(), test.inputs.end(),
                         [&](const check::TestInput& each) { return each.name == tensor.name; });
        if (input == test.inputs.end()) {
            throw ConfigError(tensor.name, "the test has no value for this input of the graph");
        }
        const bool is_pair = tensor.words != graph::FileWords::kNone;
        if (!test.is_channels_last || tensor.shape.size() != (is_pair ? 5U : 4U)) {
            executor.set_input(index, graph::load_tensor(input->file, tensor));
            continue;
        }
        std::vector<std::size_t> perms{0, 2, 3, 1};
        if (is_pair) perms.push_back(4);
        graph::Shape shape = tensor.shape;
        std::rotate(shape.begin() + 1, shape.begin() + 3, shape.begin() + 4);
        tensor.shape = std::move(shape);
        executor.set_input(index,
                           graph::transposed(graph::load_tensor(input->file, tensor), perms));
    }
}

/// An output in the order and shape of the test's files.
graph::HostTensor in_test_order(const check::TestCase& test, const check::TestOutput& wanted,
                                graph::HostTensor value) {
    if (!test.is_channels_last) return value;
    if (value.shape.size() == 4) return graph::transposed(value, {0, 3, 1, 2});
    graph::Shape shape = graph::read_npy(wanted.reference).shape;
    if (graph::element_count(shape) == graph::element_count(value.shape)) {
        value.shape = std::move(shape);
    }
    return value;
}

void load_inputs(const check::TestCase& test, const graph::Graph& graph, GraphExecutor& executor) {
    const graph::Block& main = graph.main();
    if (test.has_constants) return load_named_inputs(test, main, executor);
    for (std::size_t i = 0; i < test.inputs.size(); ++i) {
        const check::TestInput& input = test.inputs[i];
        const std::size_t index = position_of(main, main.inputs, input.name, test, i, "input");
        const graph::Tensor& tensor = main.tensors[main.inputs[index]];
        executor.set_input(index, graph::load_tensor(input.file, tensor));
    }
}

/// Inputs that are shapes are known when the graph is read.
graph::ReadOptions read_options(const check::TestCase& test) {
    graph::ReadOptions options;
    options.shape_input = [&test](const std::string& name) {
        std::optional<std::vector<std::int64_t>> values;
        for (const check::TestInput& input : test.inputs) {
            if (input.name == name) values = graph::load_shape(input.file);
        }
        return values;
    };
    return options;
}

std::size_t variable_position(const graph::Graph& graph, const check::TestCase& test,
                              std::size_t index) {
    const std::string& name = test.variables[index].name;
    for (std::size_t i = 0; i < graph.variables.size(); ++i) {
        if (graph.variables[i].name == name) return i;
    }
    if (test.by_position && index < graph.variables.size()) return index;
    throw ConfigError(name, "the graph has no variable of this name");
}

CaseValues execute_case(const check::TestCase& test, const ConformanceOptions& options) {
    const Machine& machine = options.machine;
    const graph::Graph graph = graph::load_graph(test.graph, read_options(test));
    graph::validate_graph(graph);
    const planning::GraphPlan plan = planning::plan_for_machine(graph, machine);
    models::ChipOptions chip;
    chip.exact_bytes = options.full_sanitizer;
    Simulation simulation(machine, chip);
    GraphExecutor executor(graph, plan, simulation);
    if (options.full_sanitizer) executor.watch_kernels();
    load_inputs(test, graph, executor);
    const ExecutionReport report = executor.run();
    graph::check_mapped_files();
    if (report.fault) throw ProgramFault(*report.fault);
    CaseValues values;
    values.microseconds = (report.end - report.start).microseconds();
    values.warnings = findings_text(report.findings, "");
    const graph::Block& main = graph.main();
    for (std::size_t i = 0; i < test.outputs.size(); ++i) {
        const check::TestOutput& wanted = test.outputs[i];
        const std::size_t index = position_of(main, main.outputs, wanted.name, test, i, "output");
        values.outputs.push_back(in_test_order(test, wanted, executor.output(index)));
    }
    for (std::size_t i = 0; i < test.variables.size(); ++i) {
        values.variables.push_back(executor.variable(variable_position(graph, test, i)));
    }
    return values;
}

void write_outputs(const check::TestCase& test, const CaseValues& values, const fs::path& folder) {
    graph::make_folder(folder);
    for (std::size_t i = 0; i < test.outputs.size(); ++i) {
        graph::save_tensor(folder / test.outputs[i].output_file, values.outputs[i]);
    }
    for (std::size_t i = 0; i < test.variables.size(); ++i) {
        graph::save_tensor(folder / test.variables[i].output_file, values.variables[i]);
    }
}

/// First output that breaks its rule, in words; empty when all pass.
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

/// The verdict on a graph that was read and refused for its content.
void judge_refusal(const check::TestCase& test, const ConformanceOptions& options,
                   const fs::path& relative, const char* why, CaseResult& result) {
    result.detail = why;
    refuse(options, relative, why);
    if (test.expects_rejection) result.status = CaseStatus::kPassed;
}

/// Whatever else ends the case, a file that cannot be read included, is the caller's to report: it
/// says nothing about the graph.
void run_loaded_case(const check::TestCase& test, const ConformanceOptions& options,
                     const fs::path& relative, CaseResult& result) {
    try {
        const CaseValues values = execute_case(test, options);
        result.microseconds = values.microseconds;
        result.warnings = values.warnings;
        if (options.out) write_outputs(test, values, *options.out / relative);
        if (test.expects_rejection) {
            result.detail = "accepted, but must be refused: " + test.rejection_reason;
            return;
        }
        result.detail = judge(test.outputs, values.outputs);
        if (result.detail.empty()) result.detail = judge(test.variables, values.variables);
        if (result.detail.empty()) result.status = CaseStatus::kPassed;
    } catch (const ProgramFault& fault) {
        if (fault.record().code != FaultCode::kIllegalGraph &&
            fault.record().code != FaultCode::kUnpredictable) {
            throw;
        }
        judge_refusal(test, options, relative, fault.what(), result);
    } catch (const graph::GraphFileError& error) {
        if (error.problem() == graph::FileProblem::kUnsupportedType && !test.expects_rejection) {
            result.status = CaseStatus::kSkipped;
            result.detail = error.what();
            return;
        }
        if (error.problem() != graph::FileProblem::kDamaged) throw;
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
        if (options.graphs) {
            test.graph = *options.graphs / relative / kTwinFile;
            test.by_position = true;
            if (!fs::exists(test.graph)) {
                result.status = CaseStatus::kSkipped;
                result.detail = "has no twin in " + options.graphs->string();
                return result;
            }
        }
        run_loaded_case(test, options, relative, result);
    } catch (const std::exception& error) {
        result.detail = error.what();
    }
    if (StopRequest::signal() != 0 && result.status != CaseStatus::kPassed) {
        result.status = CaseStatus::kSkipped;
        result.detail = kNotRun;
    }
    return result;
}

namespace {

/// Graphs of a test; one where it cannot be read, so that running it says why.
std::size_t graph_count(const fs::path& folder) {
    try {
        return check::load_test_cases(folder).size();
    } catch (const ConfigError&) {
        return 1;
    }
}

}  // namespace

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
        for (std::size_t graph = 0; graph < graph_count(folder); ++graph) {
            cases.emplace_back(folder, graph);
        }
    }
    if (cases.empty()) {
        throw ConfigError(options.tree.string(),
                          "holds no test (a folder with a desc.json) that the filter selects");
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
                                  {"warnings", result.warnings}}
                .dump(-1, ' ', false, nlohmann::json::error_handler_t::replace);
        },
        [&](std::size_t done) { progress(done, cases.size()); });
    std::vector<CaseResult> results;
    for (std::size_t i = 0; i < cases.size(); ++i) {
        CaseResult result;
        result.path = relative_to(cases[i].first, options.tree).string();
        result.detail = "the simulator crashed; this is a bug in okksim, please report it";
        if (StopRequest::signal() != 0) {
            result.status = CaseStatus::kSkipped;
            result.detail = kNotRun;
        }
        if (texts[i]) {
            const auto json = nlohmann::json::parse(*texts[i]);
            result = {json["path"],     json["op"],
                      json["negative"], static_cast<CaseStatus>(json["status"].get<int>()),
                      json["detail"],   json["microseconds"],
                      json["warnings"]};
        }
        results.push_back(std::move(result));
    }
    return results;
}

}  // namespace okksim::sim::execution
