// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <span>
#include <vector>

#include "sim/execution/operator_profile.h"
#include "sim/graph/host_tensor.h"
#include "sim/planning/plan.h"

namespace okksim::sim::execution {

/// What a graph's firmware runs in.
class RunSurroundings {
 public:
    virtual ~RunSurroundings() = default;
    /// Simulated time.
    virtual models::Picoseconds now() const = 0;
    /// A value that the control processor has told of loading.
    virtual graph::HostTensor value(const kernels::DeviceTensor& tensor) = 0;
    /// A kernel of a user's begins, or has ended.
    virtual void custom_operator(bool runs) { (void)runs; }
};

/// What the control processor does for a planned graph: firmware, to be run on any machine by
/// firmware::run_kernel(). States count as written from one run to the next.
class GraphFirmware {
 public:
    /// All arguments must outlive it.
    GraphFirmware(const graph::Graph& graph, const planning::GraphPlan& plan,
                  OperatorProfile& profile, RunSurroundings& surroundings);

    /// Packs constants into the form that kernels want.
    void prepare();
    /// Runs the main block, whose inputs are in place.
    void run();

    /// Called after every step of the main block, from the run.
    void set_progress(std::function<void(std::size_t done, std::size_t steps)> progress) {
        progress_ = std::move(progress);
    }
    /// Somebody else has given Graph::variables[index] a value.
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
    /// Rules about values that validation could not see: zero points computed or given at run time.
    void check_run_time_values(const graph::Block& block, const graph::Operator& op,
                               std::span<const kernels::DeviceTensor> inputs);
    void read_variable(const graph::Operator& op, const kernels::DeviceTensor& value,
                       const planning::Step& step);
    void write_variable(const graph::Operator& op, const kernels::DeviceTensor& value,
                        const planning::Step& step);
    void forget_own_pointers() const;
    /// Opens a record and gives its position.
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
