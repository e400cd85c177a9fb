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

/// A validated graph. A zoo network also has example inputs.
struct LoadedGraph {
    std::string name;
    sim::graph::Graph graph;
    std::vector<sim::zoo::ZooModel::Input> examples;
};

/// Input values in order; an empty entry stands for random values.
using GivenInputs = std::vector<std::optional<sim::graph::HostTensor>>;

struct RunWishes {
    std::uint64_t seed = 1;  ///< of random inputs
    int threads = 1;
    bool bands = false;
    bool keep_values = false;  ///< FinishedRun::values
};

/// A completed run.
struct FinishedRun {
    sim::execution::ModelRunOptions options;  ///< for its reports
    sim::execution::ModelRun run;
    std::vector<std::pair<std::string, sim::graph::HostTensor>> outputs;
    sim::execution::LoadedValues values;

    sim::sweep::Figures figures() const;
};

/// A graph with its plan for a machine. Runs are equal to those of `okksim run`. A fault that ends
/// a run is thrown.
class PlannedGraph {
 public:
    PlannedGraph(std::shared_ptr<const LoadedGraph> graph, const sim::Machine& machine,
                 const sim::planning::PlanEffort& effort);
    /// Takes the plan of a document for its machine. ConfigError as for StoredPlan::plan().
    PlannedGraph(std::shared_ptr<const LoadedGraph> graph,
                 const sim::planning::StoredPlan& document);

    /// Returns ReadPlan::difference; empty if the plan is not from a document.
    const std::string& difference() const { return difference_; }
    /// Returns the document that `okksim plan --json` writes.
    std::string document() const;
    const LoadedGraph& graph() const { return *graph_; }
    const sim::planning::GraphPlan& plan() const { return plan_; }
    /// Times the graph without data. ConfigError if the plan cannot run on the machine.
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
