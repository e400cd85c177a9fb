// SPDX-License-Identifier: Apache-2.0
#include "sim/study/gate/workload_runs.h"

#include <fmt/format.h>

#include <algorithm>

#include "isa/base/errors.h"
#include "isa/base/printable.h"
#include "sim/check/check_tree.h"
#include "sim/device/kernel_library.h"
#include "sim/execution/graph_run.h"
#include "sim/execution/model_run.h"
#include "sim/graph/input_options.h"
#include "sim/graph/npy.h"
#include "sim/study/gate/kernel_lines.h"
#include "sim/study/gate/measurement.h"
#include "sim/study/sweep/kernel_workload.h"
#include "sim/study/sweep/workload.h"
#include "sim/trace/line_profile.h"
#include "sim/trace/replay.h"

namespace okksim::sim::gate {
namespace {

namespace fs = std::filesystem;

struct NamedTensor {
    std::string name;
    graph::HostTensor value;
};
struct NamedArray {
    std::string name;
    graph::NpyArray value;
};

/// Returns the rule for floating-point results: equality, or the tolerance of the limits.
check::Rule rule_of(const GateLimits& limits) {
    if (limits.relative == 0 && limits.absolute == 0) return check::ExactRule{};
    return check::ToleranceRule{limits.relative, limits.absolute};
}

void require_one_file_each(std::size_t outputs, const GateLimits& limits) {
    if (limits.result.empty() || limits.result.size() == outputs) return;
    throw ConfigError("workload.limits.result",
                      fmt::format("has {} files, but the workload has {} outputs; give one .npy "
                                  "file per output in order",
                                  limits.result.size(), outputs));
}

/// Returns the signed type of the same size for unsigned integers, whose bits are compared.
std::string comparable(const std::string& descr) {
    if (descr == "|u1" || descr == "<u2" || descr == "<u4") {
        return fmt::format("{}i{}", descr[0], descr[2]);
    }
    return descr;
}

/// Returns the text of a wrong output; empty if it is right.
std::string judge(const NamedTensor& output, const graph::NpyArray& reference,
                  const std::filesystem::path& file, const check::Rule& rule) {
    const check::CheckResult result = check::compare(output.value, reference, nullptr, rule);
    if (result.passed) return {};
    return fmt::format("{} differs from {}: {}", output.name, file.filename().string(),
                       result.text());
}

/// Compares outputs with the files of the limits in order. Returns a text for each wrong one.
std::vector<std::string> wrong_results(const std::vector<NamedTensor>& outputs,
                                       const GateLimits& limits) {
    std::vector<std::string> wrong;
    require_one_file_each(outputs.size(), limits);
    for (std::size_t i = 0; i < limits.result.size(); ++i) {
        const graph::NpyArray reference = graph::read_npy(limits.result[i]);
        std::string text = judge(outputs[i], reference, limits.result[i], rule_of(limits));
        if (!text.empty()) wrong.push_back(std::move(text));
    }
    return wrong;
}

std::vector<std::string> wrong_results(const std::vector<NamedArray>& outputs,
                                       const GateLimits& limits) {
    std::vector<std::string> wrong;
    require_one_file_each(outputs.size(), limits);
    for (std::size_t i = 0; i < limits.result.size(); ++i) {
        graph::NpyArray reference = graph::read_npy(limits.result[i]);
        graph::NpyArray array = outputs[i].value;
        if (array.descr != reference.descr) {
            wrong.push_back(fmt::format("{} has elements {}, but {} has {}", outputs[i].name,
                                        array.descr, limits.result[i].filename().string(),
                                        printable(reference.descr)));
            continue;
        }
        array.descr = reference.descr = comparable(array.descr);
        array.element_bytes = reference.element_bytes;
        const graph::DType type = check::type_of_array(reference, limits.result[i].string());
        const NamedTensor tensor{outputs[i].name,
                                 graph::to_host_tensor(array, type, outputs[i].name)};
        std::string text = judge(tensor, reference, limits.result[i], rule_of(limits));
        if (!text.empty()) wrong.push_back(std::move(text));
    }
    return wrong;
}

/// Returns the shape of "1x224x224x3".
graph::Shape shape_from(const std::string& text, const std::string& input) {
    if (const auto shape = graph::parse_shape(text)) return *shape;
    throw ConfigError("workload.inputs." + input,
                      fmt::format("\"{}\" is neither a .npy file nor a shape such as "
                                  "\"1x224x224x3\"",
                                  printable(text)));
}

/// Reads the outputs of a kernel, and compares them with the expected ones.
void read_results(const GateTask& task, ChipDevice& device, const sweep::KernelBuffers& buffers,
                  GateOutcome& outcome) {
    std::vector<NamedArray> outputs;
    for (std::size_t i = 0; i < buffers.outputs().size(); ++i) {
        const OutputBuffer& output = buffers.outputs()[i];
        const auto bytes = std::make_shared<std::vector<std::byte>>(output.bytes);
        device.read(output.address, *bytes);
        outputs.push_back(
            {fmt::format("out {}", i + 1), {output.descr, 0, output.shape, *bytes, bytes}});
        outcome.record->outputs.push_back({outputs.back().name, hash_of(*bytes)});
    }
    outcome.wrong = wrong_results(outputs, task.workload.limits);
}

execution::ModelRunOptions options_of(const GateTask& task) {
    const GateWorkload& workload = task.workload;
    execution::ModelRunOptions options;
    options.model = workload.what.graph;
    options.function = workload.what.function;
    graph::add_shapes(workload.what.shapes, "workload.shapes", options.input_shapes);
    if (workload.what.rounding == "single") options.rounding = graph::Rounding::kSingle;
    for (const auto& [name, text] : workload.inputs) {
        if (text.ends_with(".npy")) {
            options.inputs[name] = text;
        } else {
            options.input_shapes[name] = shape_from(text, name);
        }
    }
    options.machine = task.machine;
    options.effort = planning::effort_of(workload.effort);
    options.chip.with_data = workload.data;
    if (!workload.what.values.empty()) options.values = workload.what.values;
    const GateLimits& limits = workload.limits;
    if (limits.result.size() == 1 && fs::is_directory(limits.result[0])) {
        options.check = limits.result[0];
        options.plain_rule = rule_of(limits);
    }
    return options;
}

/// Hashes the outputs of a run with data, and compares them with files.
void take_outputs(const GateTask& task, execution::GraphExecutor& executor, GateOutcome& outcome,
                  std::vector<OutputHash>& hashes) {
    const graph::Block& main = executor.graph().main();
    std::vector<NamedTensor> outputs;
    for (std::size_t i = 0; i < main.outputs.size(); ++i) {
        outputs.push_back({main.tensors[main.outputs[i]].name, executor.output(i)});
        hashes.push_back({outputs.back().name, hash_of(outputs.back().value.data)});
    }
    const GateLimits& limits = task.workload.limits;
    const bool is_folder = limits.result.size() == 1 && fs::is_directory(limits.result[0]);
    if (!is_folder) outcome.wrong = wrong_results(outputs, limits);
}

}  // namespace

std::string fault_text(const FaultRecord& fault) {
    const std::string line = fault.call_stack.empty() ? "" : "; at " + fault.call_stack.front();
    return fmt::format("fault ({}): {}{}", fault_code_name(fault.code), fault.message(), line);
}

void add_findings(GateOutcome& outcome, const std::vector<Finding>& findings, bool strict) {
    for (const Finding& finding : findings) {
        if (!is_mistake(finding)) continue;
        const std::string line =
            finding.call_stack.empty() ? "" : "; at " + finding.call_stack.front();
        if (strict && outcome.fault.empty()) {
            outcome.fault = fmt::format("strict: {}{}", finding.message, line);
        } else {
            outcome.warnings.push_back(finding.message + line);
        }
    }
}

void add_operators(TimeRecord& record, const execution::ExecutionReport& report) {
    for (const execution::OperatorRecord& op : report.operators) {
        record.operators.push_back(
            {fmt::format("{} {}", op.is_reorder ? "reorder" : operator_kind(op), op.output),
             (op.end - op.start).microseconds()});
    }
}

int most_effort() { return planning::kMostEffort; }

GateOutcome run_graph_task(const GateTask& task) {
    GateOutcome outcome;
    for (const auto& library : task.workload.what.libraries) {
        (void)KernelLibrary(library.string());  // stays loaded
    }
    std::vector<OutputHash> hashes;
    execution::ModelRunOptions options = options_of(task);
    execution::GraphExecutor* executor = nullptr;
    options.starting = [&](const execution::StartedRun& run) { executor = run.executor; };
    options.finished = [&](const execution::ExecutionReport& report) {
        if (executor != nullptr && task.workload.data && !report.fault) {
            take_outputs(task, *executor, outcome, hashes);
        }
    };
    const execution::ModelRun run =
        task.workload.what.zoo.empty()
            ? execution::run_model(options)
            : execution::run_graph(sweep::zoo_graph(task.workload.what), options);
    if (run.report.fault) {
        outcome.fault = fault_text(*run.report.fault);
        return outcome;
    }
    outcome.record = time_record_of(task.name, task.machine, run.report.account);
    add_operators(*outcome.record, run.report);
    outcome.record->totals = totals_of(run.report.account, task.machine);
    outcome.record->outputs = std::move(hashes);
    for (const check::FileVerdict& verdict : run.verdicts) {
        if (!verdict.passed) outcome.wrong.push_back(verdict.path + ": " + verdict.text);
    }
    add_findings(outcome, run.report.findings, task.workload.strict);
    return outcome;
}

GateOutcome run_kernel_task(const GateTask& task) {
    GateOutcome outcome;
    const sweep::WorkloadSpec& what = task.workload.what;
    const KernelLibrary library(what.kernel.string());
    const firmware::KernelEntry entry = library.kernel(what.launch);
    std::vector<sweep::KernelField> fields;
    for (const std::string& text : what.arguments) fields.push_back(sweep::kernel_field(text));
    ChipDevice device(task.machine, {}, {});
    trace::Accountant accountant(task.machine.params);
    trace::LineProfile profile(device.remember_calls(false), task.machine.params);
    accountant.add_listener(profile);
    device.simulation().add_observer(accountant);
    firmware::host::DeviceMemory memory(device.memory_start(), device.memory_bytes());
    device.watch(memory);
    const sweep::KernelBuffers buffers(fields, device, memory, task.workload.packed);
    device.launch({what.launch, entry, buffers.arguments()});
    const auto reports = device.finish();
    if (reports.back().fault) {
        outcome.fault = fault_text(*reports.back().fault);
        return outcome;
    }
    const trace::Account account = accountant.total();
    outcome.record = time_record_of(task.name, task.machine, account);
    outcome.record->totals = totals_of(account, task.machine);
    outcome.record->lines = lines_of(profile);
    read_results(task, device, buffers, outcome);
    add_findings(outcome, reports.back().findings, task.workload.strict);
    add_findings(outcome, device.take_read_findings(), task.workload.strict);
    return outcome;
}

GateOutcome run_trace_task(const GateTask& task) {
    GateOutcome outcome;
    const trace::Account account = trace::replay_on(task.workload.what.trace, task.machine).total();
    outcome.record = time_record_of(task.name, task.machine, account);
    outcome.record->totals = totals_of(account, task.machine);
    return outcome;
}

GateOutcome run_sweep_task(const GateTask& task) {
    GateOutcome outcome;
    sweep::SweepSpec spec = sweep::read_sweep(task.workload.sweep);
    std::erase_if(spec.workloads, [&](const sweep::WorkloadSpec& workload) {
        return workload.name != task.workload.what.name;
    });
    outcome.sweep = run_sweep_record(task.name, spec, task.machine);
    return outcome;
}

}  // namespace okksim::sim::gate
