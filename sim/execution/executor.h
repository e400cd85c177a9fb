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

namespace okksim::models {
class Chip;
}

namespace okksim::sim::execution {

/// Bytes that must be in global memory before anything runs. They are a constant of the plan, as it
/// is or packed, or the initial value of a state.
struct MemoryImage {
    std::uint64_t address = 0;
    graph::ConstantData data;
    std::shared_ptr<const void> owner;  ///< keeps `data` alive if graph and plan do not
};

/// A named range of global memory.
struct NamedBytes {
    std::string name;
    std::uint64_t address = 0;
    std::uint64_t bytes = 0;
};

/// Runs a planned graph on a chip, in one launch with one firmware kernel after the other. States
/// keep their values from run to run.
///
///     GraphExecutor executor(graph, plan, simulation);
///     executor.set_input(0, image);
///     ExecutionReport report = executor.run();
///     HostTensor scores = executor.output(0);
class GraphExecutor : private RunSurroundings {
 public:
    /// Packs constants, and copies them and initial states to global memory. All arguments must
    /// outlive the executor.
    GraphExecutor(const graph::Graph& graph, const planning::GraphPlan& plan,
                  Simulation& simulation);
    /// For the chip of another platform. Its host loads the images() and launches run_on(). Other
    /// calls that run or access memory need the constructor with a simulation.
    GraphExecutor(const graph::Graph& graph, const planning::GraphPlan& plan,
                  const Machine& machine, models::Chip& chip);

    /// Returns constants, packed ones too, and initial states.
    std::vector<MemoryImage> images() const;
    /// Calls `visit` for the contents of the plan's memory, piece by piece.
    void show_memory(
        const std::function<void(std::uint64_t address, std::span<const std::byte>)>& visit) const;
    /// Return addresses and shapes of the main block's inputs and outputs, which are row major.
    std::vector<kernels::DeviceTensor> input_places() const;
    std::vector<kernels::DeviceTensor> output_places() const;
    /// Returns every constant of the graph in global memory, as the tensor and its address.
    std::vector<std::pair<const graph::Tensor*, kernels::DeviceTensor>> constant_places() const;
    /// Returns the prepared constants, with names such as "weights prepared for CONV2D features
    /// (w, b)".
    std::vector<NamedBytes> prepared_places() const;
    /// Runs the firmware of run() on the control processor.
    std::optional<FaultRecord> run_on(isa::CommandPort& port, const LaunchLimits& limits = {});

    /// Sets input `index` of the main block. Type and shape must be those of the block.
    void set_input(std::size_t index, const graph::HostTensor& value);
    /// Checks the graph's kernels like those of users: by the rules of the API reference, with the
    /// call stack of every command in findings.
    void watch_kernels();
    /// Switches the detection of mistakes of kernels off.
    void trust_kernels() { looks_for_mistakes_ = false; }
    /// Runs the graph. The limits end an endless loop (FaultCode::kBudget).
    ExecutionReport run(const LaunchLimits& limits = {});
    graph::HostTensor output(std::size_t index);
    const graph::Graph& graph() const { return graph_; }
    const OperatorProfile& profile() const { return profile_; }
    /// Records the values that the control processor loads in later runs, for runs without data.
    void note_loads(LoadedValues& values) { noted_ = &values; }
    /// Sets a callback that the run calls after every step of the main block.
    void set_progress(std::function<void(std::size_t done, std::size_t steps)> progress) {
        firmware_.set_progress(std::move(progress));
    }
    /// Returns the present value of Graph::variables[index].
    graph::HostTensor variable(std::size_t index);
    void set_variable(std::size_t index, const graph::HostTensor& value);

 private:
    /// The images() without packed constants.
    std::vector<MemoryImage> stored_images() const;
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
    /// Reports uninitialised bytes of the outputs.
    void look_at_outputs(std::vector<Finding>& findings);

    const graph::Graph& graph_;
    const planning::GraphPlan& plan_;
    const Machine& machine_;
    models::Chip& chip_;
    std::unique_ptr<CallSites> call_sites_;
    bool looks_for_mistakes_ = true;
    Simulation* simulation_ = nullptr;  ///< nullptr on another platform
    OperatorProfile profile_;
    GraphFirmware firmware_;
    trace::Accountant accountant_;
    LoadedValues* noted_ = nullptr;
};

}  // namespace okksim::sim::execution
