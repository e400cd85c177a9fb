// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "firmware/calls/context.h"
#include "firmware/leave/kernel_runner.h"
#include "sim/device/chip_device.h"
#include "sim/execution/execution_report.h"
#include "sim/execution/graph_firmware.h"
#include "sim/execution/loaded_values.h"
#include "sim/planning/plan.h"
#include "sim/platform/simulation.h"

namespace okksim::sim::execution {

/// Bytes that have to be in global memory before anything runs: a constant of the plan that is
/// read, which they show, or the initial value of a state.
struct MemoryImage {
    std::uint64_t address = 0;
    graph::ConstantData data;
    std::shared_ptr<const void> owner;  ///< keeps `data` alive where the graph and the plan do not
};

/// A piece of global memory and what it holds.
struct NamedBytes {
    std::string name;
    std::uint64_t address = 0;
    std::uint64_t bytes = 0;
};

/// Runs a planned graph on a chip: one launch, one firmware kernel after the other. States keep
/// their values from run to run.
///
///     GraphExecutor executor(graph, plan, simulation);
///     executor.set_input(0, image);
///     ExecutionReport report = executor.run();
///     HostTensor scores = executor.output(0);
class GraphExecutor : private RunSurroundings {
 public:
    /// Places constants and initial states in global memory. All arguments must outlive the
    /// executor.
    GraphExecutor(const graph::Graph& graph, const planning::GraphPlan& plan,
                  Simulation& simulation);
    /// For a chip of somebody's platform, whose host loads the images() and launches prepare_on()
    /// and run_on() by itself; the other calls need a simulation of one's own.
    GraphExecutor(const graph::Graph& graph, const planning::GraphPlan& plan,
                  const Machine& machine, models::Chip& chip);

    std::vector<MemoryImage> images() const;
    /// Shows what the plan's memory holds, piece by piece.
    void show_memory(
        const std::function<void(std::uint64_t address, std::span<const std::byte>)>& visit) const;
    /// Places of the main block's inputs and outputs, row-major.
    std::vector<kernels::DeviceTensor> input_places() const;
    std::vector<kernels::DeviceTensor> output_places() const;
    /// Every constant of the graph that has memory: the tensor and its place.
    std::vector<std::pair<const graph::Tensor*, kernels::DeviceTensor>> constant_places() const;
    /// What prepare() makes: "weights prepared for CONV2D features (w, b)".
    std::vector<NamedBytes> prepared_places() const;
    /// Whether prepare_on() has anything to do.
    bool needs_preparation() const { return plan_.prepared_bytes != 0; }
    /// What prepare() and run() launch, on the control processor.
    std::optional<FaultRecord> prepare_on(isa::CommandPort& port, const LaunchLimits& limits = {});
    std::optional<FaultRecord> run_on(isa::CommandPort& port, const LaunchLimits& limits = {});

    /// Input `index` of the main block; type and shape must be the block's.
    void set_input(std::size_t index, const graph::HostTensor& value);
    /// Has kernels looked at as those of users are: rules of the API reference, with the call stack
    /// of every command in findings.
    void watch_kernels();
    /// Has no mistakes of kernels looked for.
    void trust_kernels() { looks_for_mistakes_ = false; }
    /// Packs constants into the form that kernels want, in a launch of its own. Once; later calls
    /// do nothing. What ended it early, if anything.
    std::optional<FaultRecord> prepare(const LaunchLimits& limits = {});
    /// A loop that never ends is ended by the limits (FaultCode::kBudget). Prepares first when that
    /// has not been done; the report does not count it.
    ExecutionReport run(const LaunchLimits& limits = {});
    graph::HostTensor output(std::size_t index);
    const graph::Graph& graph() const { return graph_; }
    const OperatorProfile& profile() const { return profile_; }
    /// Notes what the control processor loads of runs to come, for runs without data.
    void note_loads(LoadedValues& values) { noted_ = &values; }
    /// Called after every step of the main block, from the run.
    void set_progress(std::function<void(std::size_t done, std::size_t steps)> progress) {
        firmware_.set_progress(std::move(progress));
    }
    /// Present value of Graph::variables[index].
    graph::HostTensor variable(std::size_t index);
    void set_variable(std::size_t index, const graph::HostTensor& value);

 private:
    using Body = std::optional<FaultRecord> (GraphExecutor::*)(isa::CommandPort&,
                                                               const LaunchLimits&);
    std::optional<FaultRecord> launch(Body body, const LaunchLimits& limits,
                                      ExecutionReport& report);
    std::optional<FaultRecord> carry_out(firmware::KernelEntry kernel, isa::CommandPort& port,
                                         const LaunchLimits& limits);
    std::optional<FaultRecord> run_noting_loads(isa::CommandPort& port, const LaunchLimits& limits);
    void write_memory(std::uint64_t address, std::span<const std::byte> bytes);
    models::Picoseconds now() const override;
    graph::HostTensor value(const kernels::DeviceTensor& tensor) override;
    /// What nobody has written among the outputs.
    void look_at_outputs(std::vector<Finding>& findings);

    const graph::Graph& graph_;
    const planning::GraphPlan& plan_;
    const Machine& machine_;
    models::Chip& chip_;
    std::unique_ptr<CallSites> call_sites_;
    bool looks_for_mistakes_ = true;
    Simulation* simulation_ = nullptr;  ///< nullptr: somebody else's platform
    OperatorProfile profile_;
    GraphFirmware firmware_;
    trace::Accountant accountant_;
    LoadedValues* noted_ = nullptr;
    bool is_prepared_ = false;
    models::Picoseconds preparing_;
};

}  // namespace okksim::sim::execution
