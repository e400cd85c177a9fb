// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "sim/check/check_tree.h"
#include "sim/device/chip_device.h"
#include "sim/execution/executor.h"
#include "sim/execution/run_limits.h"
#include "sim/execution/started_run.h"
#include "sim/machine/ensemble.h"
#include "sim/machine/machine.h"
#include "sim/planning/machine_plan.h"
#include "sim/planning/stored_plan.h"

namespace okksim::sim::execution {

struct ModelRunOptions {
    std::filesystem::path model;
    std::string function;                                 ///< ReadOptions::function
    std::map<std::string, std::filesystem::path> inputs;  ///< .npy files by input name
    std::map<std::string, graph::Shape> input_shapes;     ///< ReadOptions::input_shape
    std::uint64_t seed = 1;                               ///< of inputs without a file
    /// Golden outputs: a test folder with a desc.json (its rules, and its inputs where none are
    /// given), or NAME.npy files.
    std::optional<std::filesystem::path> check;
    check::Rule plain_rule = check::ExactRule{};  ///< for golden files without a rule of their own
    std::optional<std::filesystem::path> out;     ///< NAME.npy of every output goes here
    LaunchLimits limits;
    planning::PlanEffort effort;       ///< planning::plan_for_machine()
    std::filesystem::path plan_cache;  ///< folder of planning::cached_plan(); empty: none
    /// Run this plan instead, on a machine that has the lanes and memories of the plan's.
    std::optional<planning::StoredPlan> plan;
    models::ChipOptions chip;
    bool watch_kernels = false;  ///< GraphExecutor::watch_kernels()
    Machine machine;
    /// Called when constants are in place, right before the run: observers attach here.
    std::function<void(const StartedRun&)> starting;
    /// Called right after the run, before the chip goes.
    std::function<void(const ExecutionReport&)> finished;
    std::function<void(std::size_t done, std::size_t steps)> progress;
    /// Parameter sets whose times give the run's time a band; nothing: no band, for this reason.
    std::optional<Ensemble> ensemble;
    std::string why_no_ensemble;
    bool all_operators = false;  ///< in the report for people; otherwise the longest ones
    bool energy_table = false;   ///< in the report for people: energy by component
    /// What the control processor loads, for runs without data: where to, and where from. The
    /// latter serves when chip.with_data is false alone.
    std::optional<std::filesystem::path> keep_values;
    std::optional<std::filesystem::path> values;
};

/// Where a run's global memory goes, in bytes.
struct MemoryUse {
    std::uint64_t constants = 0;
    std::uint64_t prepared = 0;  ///< constants in the form that kernels compute with
    std::uint64_t variables = 0;
    std::uint64_t working = 0;
    std::uint64_t inputs = 0;  ///< of the graph, within working
    std::uint64_t outputs = 0;
};

/// Of a graph with its plan.
MemoryUse memory_use(const graph::Graph& graph, const planning::GraphPlan& plan);

struct ModelRun {
    ExecutionReport report;
    std::vector<check::FileVerdict> verdicts;  ///< one per golden output
    std::vector<std::string> random_inputs;    ///< names of inputs that had no file
    std::vector<std::string> warnings;         ///< of the graph's reader, and about the plan
    MemoryUse memory;
    planning::SearchSpent search;  ///< of the plan
    RunLimits limits;
    std::vector<StepRun> steps;  ///< beside their limits
    std::optional<Band> band;    ///< of the run's time with the host's launch and sync, in us
    double load_seconds = 0;     ///< host time: reading, validating, planning
    double run_seconds = 0;      ///< host time: the simulation
};

/// Reads, validates, plans and runs a model on a chip of its own, saves and checks its outputs;
/// without data (chip.with_data) there are times alone, by time_graph(). A fault of a kernel is in
/// the report; ConfigError for files that do not fit, ProgramFault for an illegal graph.
ModelRun run_model(const ModelRunOptions& options);

/// Names of the files of tensors: their names with everything but letters, digits, '.', '-', '_'
/// replaced by '_', and ".npy", with "-2", "-3", ... in front of it where two would be the same.
std::vector<std::string> tensor_file_names(const std::vector<std::string>& names);

}  // namespace okksim::sim::execution
