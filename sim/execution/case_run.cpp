// SPDX-License-Identifier: Apache-2.0
#include "sim/execution/case_run.h"

#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "isa/base/errors.h"
#include "isa/base/fault.h"
#include "sim/execution/executor.h"
#include "sim/files/mapped_file.h"
#include "sim/graph/file_forms.h"
#include "sim/graph/input_options.h"
#include "sim/graph/npy.h"
#include "sim/graph/validate/validate.h"
#include "sim/planning/machine_plan.h"

namespace okksim::sim::execution {

namespace {

/// Returns the position of the test's value `index` in a list of the graph.
std::size_t position_of(const graph::Block& block, std::span<const graph::TensorIndex> list,
                        const std::string& name, const check::TestCase& test, std::size_t index,
                        const char* what) {
    if (test.by_position) {
        if (index < list.size()) return index;
        throw ConfigError(
            name, fmt::format("the graph has only {} {}s; the test has more", list.size(), what));
    }
    for (std::size_t i = 0; i < list.size(); ++i) {
        if (block.tensors[list[i]].name == name) return i;
    }
    throw ConfigError(name, fmt::format("the graph has no {} of this name", what));
}

/// Returns the value without elements of this name, which is not in the graph.
std::optional<graph::Tensor> empty_of(const std::vector<graph::Tensor>& empties,
                                      const std::string& name) {
    for (const graph::Tensor& empty : empties) {
        if (empty.name == name) return empty;
    }
    return std::nullopt;
}

/// Sets inputs of the test by name. Some may be constants of the graph.
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

/// Returns an output in the order and shape of the test's files.
graph::HostTensor in_test_order(const check::TestCase& test, const check::TestOutput& wanted,
                                graph::HostTensor value) {
    if (!test.is_channels_last) {
        // Files of .xmodel graphs spell the shape of a single value [] or [1].
        const bool is_single = value.shape.empty() || value.shape == graph::Shape{1};
        if (!test.has_constants || !is_single) return value;
        graph::Shape shape = graph::read_npy(wanted.reference).shape;
        if (shape.empty() || shape == graph::Shape{1}) value.shape = std::move(shape);
        return value;
    }
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
        if (const auto empty = empty_of(graph::empty_inputs(graph), input.name)) {
            (void)graph::load_tensor(input.file, *empty);
            continue;
        }
        const std::size_t index = position_of(main, main.inputs, input.name, test, i, "input");
        const graph::Tensor& tensor = main.tensors[main.inputs[index]];
        executor.set_input(index, graph::load_tensor(input.file, tensor));
    }
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

}  // namespace

graph::ReadOptions case_read_options(const check::TestCase& test) {
    graph::InputFiles files;
    for (const check::TestInput& input : test.inputs) files.emplace(input.name, input.file);
    return graph::input_options({}, std::move(files));
}

CaseValues run_case_graph(const check::TestCase& test, const graph::Graph& graph,
                          const ConformanceOptions& options) {
    const Machine& machine = options.machine;
    graph::validate_graph(graph);
    const planning::GraphPlan plan = planning::plan_for_machine(graph, machine);
    models::ChipOptions chip;
    chip.exact_bytes = options.full_sanitizer;
    Simulation simulation(machine, chip);
    GraphExecutor executor(graph, plan, simulation);
    if (options.full_sanitizer) executor.watch_kernels();
    load_inputs(test, graph, executor);
    const ExecutionReport report = executor.run();
    check_mapped_files();
    if (report.fault) throw ProgramFault(*report.fault);
    CaseValues values;
    values.microseconds = (report.end - report.start).microseconds();
    values.warnings = findings_text(report.findings, "");
    const graph::Block& main = graph.main();
    std::set<std::size_t> judged;
    for (std::size_t i = 0; i < test.outputs.size(); ++i) {
        const check::TestOutput& wanted = test.outputs[i];
        if (const auto empty = empty_of(graph::empty_outputs(graph), wanted.name)) {
            values.outputs.push_back(graph::empty_value(*empty));
            continue;
        }
        const std::size_t index = position_of(main, main.outputs, wanted.name, test, i, "output");
        judged.insert(index);
        values.outputs.push_back(in_test_order(test, wanted, executor.output(index)));
    }
    for (std::size_t i = 0; !test.expects_rejection && i < main.outputs.size(); ++i) {
        if (judged.contains(i)) continue;
        throw ConfigError(main.tensors[main.outputs[i]].name,
                          "is an output that the test does not list, so no rule judges it");
    }
    for (std::size_t i = 0; i < test.variables.size(); ++i) {
        values.variables.push_back(executor.variable(variable_position(graph, test, i)));
    }
    return values;
}

}  // namespace okksim::sim::execution
