// SPDX-License-Identifier: Apache-2.0
#include "python/planned_graph.h"

#include <nlohmann/json.hpp>

#include "firmware/host/report_json.h"
#include "isa/base/fault.h"
#include "sim/execution/executor.h"
#include "sim/execution/random_input.h"
#include "sim/execution/timed_graph.h"
#include "sim/graph/file_forms.h"
#include "sim/machine/ensemble.h"
#include "sim/report/plan_report.h"
#include "sim/trace/kept_commands.h"
#include "sim/trace/replay.h"

namespace okksim::python {

using namespace sim;

sweep::Figures FinishedRun::figures() const {
    sweep::Figures figures =
        sweep::graph_figures(run.report, run.memory, run.limits.whole, options.machine);
    if (run.band) {
        figures.set("band_low_us", run.band->low);
        figures.set("band_high_us", run.band->high);
    }
    return figures;
}

PlannedGraph::PlannedGraph(std::shared_ptr<const LoadedGraph> graph, const Machine& machine,
                           const planning::PlanEffort& effort)
    : graph_(std::move(graph)),
      machine_(machine),
      effort_(effort),
      plan_(planning::plan_for_machine(graph_->graph, machine, effort)) {}

PlannedGraph::PlannedGraph(std::shared_ptr<const LoadedGraph> graph,
                           const planning::StoredPlan& document)
    : graph_(std::move(graph)), machine_(document.machine()) {
    planning::ReadPlan read = document.plan(graph_->graph);
    plan_ = std::move(read.plan);
    difference_ = std::move(read.difference);
}

std::string PlannedGraph::document() const {
    return firmware::host::json_text(report::plan_json(graph_->graph, plan_, machine_));
}

std::unique_ptr<FinishedRun> PlannedGraph::begin(const Machine& machine, bool bands) const {
    auto finished = std::make_unique<FinishedRun>();
    finished->options.model = graph_->name;
    finished->options.machine = machine;
    finished->options.effort = effort_;
    if (bands) finished->options.ensemble = builtin_ensemble(machine).ensemble;
    finished->run.warnings = graph_->graph.warnings;
    finished->run.emulated = planning::emulated_types(graph_->graph, machine);
    finished->run.memory = execution::memory_use(graph_->graph, plan_);
    finished->run.limits = execution::run_limits(graph_->graph, plan_, machine);
    return finished;
}

std::unique_ptr<FinishedRun> PlannedGraph::time(const Machine& machine,
                                                const execution::LoadedValues* values,
                                                bool bands) const {
    trace::check_same_layout(machine_, machine, "the plan");
    auto finished = begin(machine, bands);
    finished->options.chip.with_data = false;
    trace::BandObserver kept;
    const auto& ensemble = finished->options.ensemble;
    const auto starting = [&](const execution::StartedRun& started) {
        if (ensemble) started.machine.add_observer(kept);
    };
    execution::ModelRun& run = finished->run;
    run.report = execution::time_graph(graph_->graph, plan_, machine,
                                       {.limits = {}, .values = values, .starting = starting});
    if (run.report.fault) throw ProgramFault(*run.report.fault);
    run.steps = execution::step_runs(run.report, run.limits, graph_->graph.main().name);
    if (ensemble) run.band = kept.band(*ensemble);
    return finished;
}

std::unique_ptr<FinishedRun> PlannedGraph::run(
    const GivenInputs& inputs, const RunWishes& wishes,
    std::function<void(std::size_t, std::size_t)> progress) const {
    auto finished = begin(machine_, wishes.bands);
    finished->options.seed = wishes.seed;
    finished->options.chip.threads = wishes.threads;
    Simulation simulation(machine_, finished->options.chip);
    execution::GraphExecutor executor(graph_->graph, plan_, simulation);
    executor.set_progress(std::move(progress));
    execution::ModelRun& run = finished->run;
    const graph::Block& main = graph_->graph.main();
    for (std::size_t i = 0; i < inputs.size(); ++i) {
        if (!inputs[i]) run.random_inputs.push_back(main.tensors[main.inputs[i]].name);
        executor.set_input(
            i, inputs[i] ? *inputs[i]
                         : execution::random_graph_input(graph_->graph, i, wishes.seed + i));
    }
    if (wishes.keep_values) executor.note_loads(finished->values);
    trace::BandObserver kept;
    if (finished->options.ensemble) simulation.add_observer(kept);
    run.report = executor.run();
    if (run.report.fault) throw ProgramFault(*run.report.fault);
    run.steps = execution::step_runs(run.report, run.limits, graph_->graph.main().name);
    if (finished->options.ensemble) run.band = kept.band(*finished->options.ensemble);
    for (std::size_t i = 0; i < main.outputs.size(); ++i) {
        finished->outputs.emplace_back(main.tensors[main.outputs[i]].name, executor.output(i));
    }
    for (const graph::Tensor& empty : graph::empty_outputs(graph_->graph)) {
        finished->outputs.emplace_back(empty.name, graph::empty_value(empty));
    }
    return finished;
}

}  // namespace okksim::python
