// SPDX-License-Identifier: Apache-2.0
#include "sim/study/gate/gate_run.h"

#include <fmt/format.h>

#include <new>
#include <nlohmann/json.hpp>

#include "isa/base/errors.h"
#include "isa/base/stop_request.h"
#include "sim/execution/process_pool.h"

namespace okksim::sim::gate {
namespace {

using Json = nlohmann::ordered_json;

std::string text_of(const GateOutcome& outcome) {
    Json json{{"wrong", outcome.wrong},
              {"warnings", outcome.warnings},
              {"fault", outcome.fault},
              {"error", outcome.error},
              {"is_bug", outcome.is_bug}};
    if (outcome.record) json["record"] = time_record_text(*outcome.record);
    if (outcome.sweep) json["sweep"] = sweep_record_text(*outcome.sweep);
    return json.dump(-1, ' ', false, Json::error_handler_t::replace);
}

GateOutcome outcome_from(const std::string& text, const std::string& name) {
    const Json json = Json::parse(text);
    GateOutcome outcome;
    outcome.wrong = json.at("wrong").get<std::vector<std::string>>();
    outcome.warnings = json.at("warnings").get<std::vector<std::string>>();
    outcome.fault = json.at("fault");
    outcome.error = json.at("error");
    outcome.is_bug = json.at("is_bug");
    if (json.contains("record")) outcome.record = parse_time_record(json.at("record"), name);
    if (json.contains("sweep")) outcome.sweep = parse_sweep_record(json.at("sweep"), name);
    return outcome;
}

/// Returns the outcome of a task whose process has died.
GateOutcome died(const GateTask& task) {
    GateOutcome outcome;
    const sweep::WorkloadSpec& what = task.workload.what;
    if (what.kernel.empty()) {
        outcome.error = "the simulator crashed";
        outcome.is_bug = true;
    } else {
        outcome.fault = fmt::format(
            "the kernel ended the process; `okksim kernel {} --launch {} ...` shows where",
            what.kernel.string(), what.launch);
    }
    return outcome;
}

}  // namespace

GateOutcome run_task(const GateTask& task) {
    const sweep::WorkloadSpec& what = task.workload.what;
    GateOutcome outcome;
    try {
        if (!task.workload.sweep.empty()) return run_sweep_task(task);
        if (!what.kernel.empty()) return run_kernel_task(task);
        if (!what.trace.empty()) return run_trace_task(task);
        return run_graph_task(task);
    } catch (const std::bad_alloc&) {
        throw;  // concerns the host
    } catch (const ProgramFault& fault) {
        outcome.fault = fault_text(fault.record());
    } catch (const ConfigError& error) {
        outcome.error = error.what();
    } catch (const std::exception& error) {
        outcome.error = std::string("okksim has a bug: ") + error.what();
        outcome.is_bug = true;
    }
    return outcome;
}

std::vector<std::optional<GateOutcome>> run_tasks(
    const std::vector<GateTask>& tasks, int jobs,
    const std::function<void(std::size_t done, std::size_t all)>& progress) {
    const auto texts = execution::run_in_processes(
        tasks.size(), jobs, [&](std::size_t i) { return text_of(run_task(tasks[i])); },
        [&](std::size_t done) { progress(done, tasks.size()); });
    std::vector<std::optional<GateOutcome>> outcomes;
    for (std::size_t i = 0; i < tasks.size(); ++i) {
        if (texts[i]) {
            outcomes.emplace_back(outcome_from(*texts[i], tasks[i].name));
        } else if (StopRequest::signal() != 0) {
            outcomes.emplace_back();
        } else {
            outcomes.emplace_back(died(tasks[i]));
        }
    }
    return outcomes;
}

}  // namespace okksim::sim::gate
