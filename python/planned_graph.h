// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "sim/execution/loaded_values.h"
#include "sim/execution/model_run.h"
#include "sim/planning/machine_plan.h"
#include "sim/planning/stored_plan.h"
#include "sim/study/sweep/figures.h"
#include "sim/zoo/zoo.h"

namespace okksim::python {

/// A validated graph; of the zoo's with inputs.
struct LoadedGraph {
    std::string name;
    sim::graph::Graph graph;
    std::vector<sim::zoo::ZooModel::Input> examples;
};

/// Values of inputs in their order; nothing: a random one.
using GivenInputs = std::vector<std::optional<sim::graph::HostTensor>>;

struct RunWishes {
    std::uint64_t seed = 1;  ///< of random inputs
    int threads = 1;
    bool bands = false;
    bool keep_values = false;  ///< FinishedRun::values
};

/// A run that has come to its end.
struct FinishedRun {
    sim::execution::ModelRunOptions options;  ///< what its reports are told of it
    sim::execution::ModelRun run;
    std::vector<std::pair<std::string, sim::graph::HostTensor>> outputs;
    sim::execution::LoadedValues values;

    sim::sweep::Figures figures() const;
};

/// A graph with its plan for a machine. Runs are those of `okksim run`; a fault that ends one is
/// thrown.
class PlannedGraph {
 public:
    PlannedGraph(std::shared_ptr<const LoadedGraph> graph, const sim::Machine& machine,
                 const sim::planning::PlanEffort& effort);
    /// Of a document: the plan for its machine. ConfigError as StoredPlan::plan().
    PlannedGraph(std::shared_ptr<const LoadedGraph> graph,
                 const sim::planning::StoredPlan& document);

    /// ReadPlan::difference; empty where the plan is not of a document.
    const std::string& difference() const { return difference_; }
    /// The document of `okksim plan --json`.
    std::string document() const;
    const LoadedGraph& graph() const { return *graph_; }
    const sim::planning::GraphPlan& plan() const { return plan_; }
    /// Times alone, on a machine that the plan can run on: ConfigError for others.
    std::unique_ptr<FinishedRun> time(const sim::Machine& machine,
                                      const sim::execution::LoadedValues* values, bool bands) const;
    std::unique_ptr<FinishedRun> run(const GivenInputs& inputs, const RunWishes& wishes,
                                     std::function<void(std::size_t, std::size_t)> progress) const;

 private:
    std::unique_ptr<FinishedRun> begin(const sim::Machine& machine, bool bands) const;

    std::shared_ptr<const LoadedGraph> graph_;
    sim::Machine machine_;
    sim::planning::PlanEffort effort_;
    sim::planning::GraphPlan plan_;
    std::string difference_;
};

}  // namespace okksim::python
