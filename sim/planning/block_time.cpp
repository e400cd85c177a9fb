// SPDX-License-Identifier: Apache-2.0
#include "sim/planning/block_time.h"

#include <algorithm>
#include <cstdint>
#include <deque>
#include <map>
#include <utility>

#include "isa/base/errors.h"
#include "kernels/layers/layer_plan.h"
#include "models/sequencer/command_observer.h"
#include "sim/device/chip_device.h"
#include "sim/planning/decide.h"
#include "sim/planning/run_step.h"
#include "sim/pricing/plan_call.h"

namespace okksim::sim::planning {
namespace {

/// True for copies of states, whose times do not depend on any choice.
bool is_state(const Step& step) {
    return step.kind == StepKind::kVariableRead || step.kind == StepKind::kVariableWrite;
}

/// Returns for each step of a block if its commands are known on the host.
std::vector<bool> known_steps(const graph::Block& block, const GraphPlan& plan,
                              tosa::BlockReference reference) {
    std::vector<bool> known;
    auto cost = std::find_if(plan.costs.begin(), plan.costs.end(),
                             [&](const StepCost& each) { return each.place == reference; });
    for (const Step& step : plan.block(reference).steps) {
        OKKSIM_CHECK(cost != plan.costs.end() && cost->op == step.op);
        const bool is_custom = block.operators[step.op].op == tosa::OpCode::kCustom;
        const bool is_known = (cost++)->note.empty();
        known.push_back(is_known && !is_custom && !is_state(step));
    }
    return known;
}

/// Notes when the commands of each step end.
class StepEnds final : public models::CommandObserver {
 public:
    explicit StepEnds(std::size_t steps) : ends_(steps) {}

    void begin(std::size_t step) { step_ = step; }
    void launch_started(models::Picoseconds time) override { start_ = time; }
    void submitted(const isa::Command& command) override { steps_of(command).push_back(step_); }
    void retired(const isa::Command& command, const models::CommandTimes& times) override {
        std::deque<std::size_t>& steps = steps_of(command);
        ends_[steps.front()] = std::max(ends_[steps.front()], (times.end - start_).microseconds());
        steps.pop_front();
    }
    /// Returns the ends in microseconds, each at least that of the step before.
    std::vector<double> take() {
        for (std::size_t i = 1; i < ends_.size(); ++i) ends_[i] = std::max(ends_[i], ends_[i - 1]);
        return std::move(ends_);
    }

 private:
    /// The steps of the commands in flight. Commands of one engine retire in order.
    std::deque<std::size_t>& steps_of(const isa::Command& command) {
        return in_flight_[{command.info().engine, command.instance}];
    }

    std::size_t step_ = 0;
    models::Picoseconds start_;
    std::vector<double> ends_;
    std::map<std::pair<isa::Engine, std::uint16_t>, std::deque<std::size_t>> in_flight_;
};

void run(const graph::Block& block, const BlockPlan& plan, const Step& step) {
    if (step.kind != StepKind::kLayers) return run_step(block, step, plan.slots);
    const auto& layers = layer_plan_of(step);
    kernels::layers::run_layers(bind_layers(block, step, plan.slots).call(), layers);
}

}  // namespace

std::optional<BlockTime> time_block(const graph::Graph& graph, const GraphPlan& plan,
                                    tosa::BlockReference reference, const Machine& machine) {
    const graph::Block& block = graph.block(reference);
    const BlockPlan& own = plan.block(reference);
    const std::vector<bool> is_known = known_steps(block, plan, reference);
    const pricing::KnownMemory known = constants_of(plan);
    pricing::MachineHost host(machine.params, context_options(machine), known);
    pricing::TimingPort port(host.params(), host.memory());
    StepEnds ends(own.steps.size());
    port.timing().add_observer(ends);
    port.timing().begin_launch();
    try {
        pricing::run_firmware(host, port, [&] {
            for (std::size_t i = 0; i < own.steps.size(); ++i) {
                ends.begin(i);
                if (is_known[i]) run(block, own, own.steps[i]);
            }
        });
    } catch (const pricing::ValueUnknown&) {
        return std::nullopt;
    } catch (const ProgramFault&) {
        return std::nullopt;
    }
    const double microseconds = port.timing().end_launch().microseconds();
    return BlockTime{ends.take(), microseconds};
}

std::optional<double> block_microseconds(const graph::Graph& graph, const GraphPlan& plan,
                                         tosa::BlockReference reference, const Machine& machine) {
    const std::optional<BlockTime> time = time_block(graph, plan, reference, machine);
    return time ? std::optional(time->microseconds) : std::nullopt;
}

}  // namespace okksim::sim::planning
