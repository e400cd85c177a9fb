// SPDX-License-Identifier: Apache-2.0
#include "sim/study/gate/workload_runs.h"

#include <fmt/format.h>

#include <algorithm>
#include <fstream>

#include "isa/base/errors.h"
#include "isa/base/fault.h"
#include "isa/base/input_file.h"
#include "sim/device/kernel_library.h"
#include "sim/execution/graph_run.h"
#include "sim/study/gate/measurement.h"
#include "sim/study/gate/result_check.h"
#include "sim/study/sweep/kernel_buffers.h"
#include "sim/study/sweep/workload.h"
#include "sim/trace/line_profile.h"
#include "sim/trace/replay.h"

namespace okksim::sim::gate {
namespace {

namespace fs = std::filesystem;

/// Returns the text of a source line without spaces around it; empty if it cannot be read.
std::string source_text(const firmware::CodePlace& place) {
    if (place.file.empty() || may_have_no_end(place.file)) return {};
    std::ifstream file(place.file);
    std::string text;
    for (std::size_t i = 0; i < place.line; ++i) {
        if (!std::getline(file, text)) return {};
    }
    const std::size_t first = text.find_first_not_of(" \t");
    const std::size_t last = text.find_last_not_of(" \t\r");
    return first == std::string::npos ? "" : text.substr(first, last - first + 1);
}

std::vector<LineTime> lines_of(const trace::LineProfile& profile) {
    std::vector<LineTime> lines;
    for (const trace::LineAccount& account : profile.lines()) {
        if (account.place.file.empty()) continue;
        models::Picoseconds time;
        for (std::size_t engine = 0; engine < account.time.size(); ++engine) {
            time += account.occupied(engine);
        }
        lines.push_back({fmt::format("{}:{}", fs::path(account.place.file).filename().string(),
                                     account.place.line),
                         source_text(account.place), account.commands, time.microseconds()});
    }
    return lines;
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
