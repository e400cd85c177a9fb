// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <span>
#include <vector>

#include "sim/execution/operator_profile.h"
#include "sim/graph/host_tensor.h"
#include "sim/planning/plan.h"

namespace okksim::sim::execution {

/// The environment of a graph's firmware.
class RunSurroundings {
 public:
    virtual ~RunSurroundings() = default;
    /// Returns the simulated time.
    virtual models::Picoseconds now() const = 0;
    /// Returns a value whose load the control processor has reported.
    virtual graph::HostTensor value(const kernels::DeviceTensor& tensor) = 0;
    /// Called when a kernel of a user begins or ends.
    virtual void custom_operator(bool runs) { (void)runs; }
};

/// The control processor's firmware for a planned graph, which firmware::run_kernel() runs on any
/// machine. States keep their written mark between runs.
class GraphFirmware {
 public:
    /// All arguments must outlive the object.
    GraphFirmware(const graph::Graph& graph, const planning::GraphPlan& plan,
                  OperatorProfile& profile, RunSurroundings& surroundings);

    /// Runs the main block, whose inputs must be in memory.
    void run();

    /// Sets a callback that the run calls after every step of the main block.
    void set_progress(std::function<void(std::size_t done, std::size_t steps)> progress) {
        progress_ = std::move(progress);
    }
    /// Marks Graph::variables[index] as written from outside the firmware.
    void variable_written(std::size_t index) { is_written_.at(index) = true; }

 private:
    void execute(tosa::BlockReference reference, std::span<const kernels::DeviceTensor> inputs,
                 std::span<const kernels::DeviceTensor> captures,
                 std::span<const kernels::DeviceTensor> outputs);
    void execute_step(const graph::Block& block, const planning::Step& step,
                      std::span<const kernels::DeviceTensor> slots);
    void execute_condition(const graph::Operator& op, std::span<const kernels::DeviceTensor> slots,
                           const planning::Step& step);
    void execute_loop(const graph::Operator& op, std::span<const kernels::DeviceTensor> slots,
                      const planning::Step& step);
    void launch_kernel(const graph::Block& block, const planning::Step& step,
                       std::span<const kernels::DeviceTensor> slots);
    void run_layers(const graph::Block& block, const planning::Step& step,
                    std::span<const kernels::DeviceTensor> slots);
    /// Checks rules about values that validation could not see: zero points known only at run time.
    void check_run_time_values(const graph::Block& block, const graph::Operator& op,
                               std::span<const kernels::DeviceTensor> inputs);
    void read_variable(const graph::Operator& op, const kernels::DeviceTensor& value,
                       const planning::Step& step);
    void write_variable(const graph::Operator& op, const kernels::DeviceTensor& value,
                        const planning::Step& step);
    void forget_own_pointers() const;
    /// Opens a record and returns its position.
    std::size_t begin_record(const graph::Block& block, const planning::Step& step,
                             bool is_layer = false);

    const graph::Graph& graph_;
    const planning::GraphPlan& plan_;
    OperatorProfile& profile_;
    RunSurroundings& surroundings_;
    std::function<void(std::size_t, std::size_t)> progress_;
    std::vector<bool> is_written_;  ///< per variable
    bool has_run_custom_ = false;
};

}  // namespace okksim::sim::execution
