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
#include "sim/execution/best_classes.h"
#include "sim/execution/executor.h"
#include "sim/execution/random_input.h"
#include "sim/execution/run_limits.h"
#include "sim/execution/started_run.h"
#include "sim/graph/input_options.h"
#include "sim/machine/ensemble.h"
#include "sim/machine/machine.h"
#include "sim/planning/emulated_types.h"
#include "sim/planning/machine_plan.h"
#include "sim/planning/packed_constants.h"
#include "sim/planning/stored_plan.h"

namespace okksim::sim::execution {

/// The value of an input that the host has made before the run.
struct MadeInput {
    graph::HostTensor value;
    std::string note;  ///< a line for the report: what the host has done
};
/// Makes a value for a tensor of the graph. Throws ConfigError if it does not fit.
using InputMaker = std::function<MadeInput(const graph::Tensor&)>;

struct ModelRunOptions {
    std::filesystem::path model;
    std::string function;                                 ///< ReadOptions::function
    graph::Rounding rounding = graph::Rounding::kDouble;  ///< ReadOptions::rounding
    graph::InputFiles inputs;
    graph::InputShapes input_shapes;  ///< of inputs whose shapes the file leaves open
    /// Inputs that the host makes, such as pictures, by name. The name "" is the only input.
    std::map<std::string, InputMaker> made_inputs;
    ClassOptions classes;
    std::uint64_t seed = kInputSeed;  ///< for inputs without a file
    /// Golden outputs: NAME.npy files, or a test folder with a desc.json. The description gives the
    /// rules, and files for the inputs that are not given.
    std::optional<std::filesystem::path> check;
    check::Rule plain_rule = check::ExactRule{};  ///< for golden files without their own rule
    std::optional<std::filesystem::path> out;     ///< receives NAME.npy of every output
    LaunchLimits limits;
    planning::PlanEffort effort;       ///< planning::plan_for_machine()
    std::filesystem::path plan_cache;  ///< folder of planning::cached_plan(); empty: none
    /// Runs this plan instead, on a machine with the lanes and memories of the plan's machine.
    std::optional<planning::StoredPlan> plan;
    models::ChipOptions chip;
    bool watch_kernels = false;  ///< GraphExecutor::watch_kernels()
    Machine machine;
    /// Called after constants are in memory, just before the run. Observers attach here.
    std::function<void(const StartedRun&)> starting;
    /// Called just after the run, while the chip still exists.
    std::function<void(const ExecutionReport&)> finished;
    std::function<void(std::size_t done, std::size_t steps)> progress;
    /// Parameter sets for the confidence band of the run's time. Without them `why_no_ensemble` is
    /// the reason.
    std::optional<Ensemble> ensemble;
    std::string why_no_ensemble;
    bool all_operators = false;  ///< all operators in the text report, instead of the longest ones
    bool energy_table = false;   ///< energy by component in the text report
    /// Files of the values that the control processor loads, to write and to read. A run only reads
    /// `values` if chip.with_data is false.
    std::optional<std::filesystem::path> keep_values;
    std::optional<std::filesystem::path> values;
};

/// The use of a run's global memory, in bytes.
struct MemoryUse {
    std::uint64_t constants = 0;
    std::uint64_t prepared = 0;  ///< constants in the form that kernels compute with
    planning::ConstantFile file;
    std::uint64_t variables = 0;
    std::uint64_t working = 0;
    std::uint64_t inputs = 0;  ///< of the graph; part of `working`
    std::uint64_t outputs = 0;
};

/// Returns the memory use of a planned graph.
MemoryUse memory_use(const graph::Graph& graph, const planning::GraphPlan& plan);

struct ModelRun {
    ExecutionReport report;
    std::vector<check::FileVerdict> verdicts;  ///< one per golden output
    std::vector<std::string> random_inputs;    ///< names of inputs without a file
    std::vector<std::string> made_inputs;      ///< MadeInput::note
    std::string rounding;                      ///< of the reader; empty if the format has none
    std::vector<ClassTable> classes;           ///< one per output with classes
    std::vector<std::string> warnings;         ///< from the graph's reader and the planner
    std::vector<planning::EmulatedType> emulated;
    MemoryUse memory;
    planning::SearchSpent search;  ///< of the plan
    RunLimits limits;
    std::vector<StepRun> steps;  ///< with their lower bounds
    std::optional<Band> band;    ///< for the run's time with the host's launch and sync, in us
    double load_seconds = 0;     ///< host time: reading, validating, planning
    double run_seconds = 0;      ///< host time: the simulation
};

/// Reads, validates, plans and runs a model on a new chip, and saves and checks its outputs.
/// Without data (chip.with_data), time_graph() gives only times. A fault of a kernel is in the
/// report. Throws ConfigError for files that do not fit and ProgramFault for an illegal graph.
ModelRun run_model(const ModelRunOptions& options);

/// Returns file names for tensors. They are the tensors' names with all characters except letters,
/// digits, '.', '-', '_' replaced by '_', and ".npy". Equal names get "-2", "-3", ... before
/// ".npy".
std::vector<std::string> tensor_file_names(const std::vector<std::string>& names);

}  // namespace okksim::sim::execution
