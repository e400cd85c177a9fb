// SPDX-License-Identifier: Apache-2.0
#include "sim/planning/decide.h"

#include <algorithm>
#include <utility>

#include "isa/layout.h"
#include "isa/tensors.h"
#include "kernels/layers/layer_plan.h"
#include "kernels/prepared_constants.h"
#include "sim/device/chip_device.h"
#include "sim/planning/call_plans.h"
#include "sim/planning/graph_memory.h"
#include "sim/planning/memory_plan.h"
#include "sim/planning/operator_groups.h"
#include "sim/planning/run_step.h"
#include "sim/pricing/plan_call.h"

namespace okksim::sim::planning {
namespace {

using kernels::DeviceTensor;

/// Counts and times the commands of one step.
class CountingPort : public pricing::TimingPort {
 public:
    CountingPort(pricing::MachineHost& host, StepCost& cost)
        : TimingPort(host.params(), host.memory()), cost_(cost) {
        timing().begin_launch();
    }

    void submit(const isa::Command& command) override {
        TimingPort::submit(command);
        const isa::TensorViews views = isa::tensor_views(command, machine());
        ++cost_.commands[command.info().engine];
        if (command.info().engine == isa::Engine::kGdma) {
            cost_.bytes_moved +=
                views[0].element_count() * static_cast<std::uint64_t>(views[0].element_bytes);
        }
        for (const isa::TensorView& view : views) {
            if (!view.local) continue;
            cost_.local_bytes =
                std::max(cost_.local_bytes, isa::touched_bytes(view, machine()).high);
        }
    }
    void charge(isa::FirmwareCall call) override {
        TimingPort::charge(call);
        if (call == isa::FirmwareCall::kParallelStart) ++cost_.parallel_sections;
        if (call == isa::FirmwareCall::kListStart) in_list_ = true;
        if (call == isa::FirmwareCall::kListEnd) in_list_ = false;
    }
    void wait_until_idle() override {
        TimingPort::wait_until_idle();
        is_static_ = is_static_ && !in_list_;
    }
    void access(const isa::ProcessorAccess& access) override {
        TimingPort::access(access);
        is_static_ = is_static_ && (!in_list_ || access.kind == isa::AccessKind::kLoad);
    }
    void* local_pointer(isa::LocalAddr address) override {
        is_static_ = is_static_ && !in_list_;
        return TimingPort::local_pointer(address);
    }
    /// True if the kernel has only read constants, and has not waited, up to the end of its list.
    bool is_static() const { return is_static_; }
    void end() { cost_.microseconds = timing().end_launch().microseconds(); }

 private:
    StepCost& cost_;
    bool in_list_ = false;
    bool is_static_ = true;
};

std::string note_of(StepKind kind) {
    switch (kind) {
        case StepKind::kCondIf: return "one of two blocks runs";
        case StepKind::kWhileLoop: return "blocks run while the condition holds";
        case StepKind::kKernel:
        case StepKind::kLayers:
        case StepKind::kReorder:
        case StepKind::kVariableRead:
        case StepKind::kVariableWrite: break;
    }
    return {};
}

/// Values of the enclosing block have no address in a plan. Any address will do to count commands.
DeviceTensor placed(DeviceTensor value, std::uint64_t somewhere) {
    if (value.address == 0) value.address = somewhere;
    return value;
}

class StepPlanner {
 public:
    StepPlanner(const graph::Graph& graph, GraphPlan& plan, const Machine& machine,
                CallPlans& calls)
        : graph_(graph),
          plan_(plan),
          calls_(calls),
          known_(constants_of(plan)),
          somewhere_(
              isa::align_up(std::max(known_.end(), graph_memory(machine).start), kValueAlignment)),
          host_(machine.params, context_options(machine), known_) {}

    void run() {
        plan_.costs.clear();
        for (std::size_t r = 0; r < plan_.blocks.size(); ++r) {
            for (std::size_t b = 0; b < plan_.blocks[r].size(); ++b) {
                const graph::Block& block = graph_.regions[r].blocks[b];
                for (Step& step : plan_.blocks[r][b].steps) {
                    plan_copies(block, plan_.blocks[r][b], step);
                    plan_.costs.push_back(cost_of(block, plan_.blocks[r][b], step));
                    plan_.costs.back().place = {static_cast<std::uint32_t>(r),
                                                static_cast<std::uint32_t>(b)};
                }
            }
        }
    }

 private:
    StepCost cost_of(const graph::Block& block, const BlockPlan& plan, Step& step) {
        const graph::Operator& op = block.operators[step.op];
        const bool is_reorder = step.kind == StepKind::kReorder;
        StepCost cost;
        cost.block = block.name;
        cost.op = step.op;
        cost.op_index = op.index;
        const graph::Operator* last = &op;
        std::vector<tosa::OpCode> followers;
        for (const StepFollower& follower : step.followers) {
            last = &block.operators[follower.op];
            followers.push_back(last->op);
        }
        for (const StepLayer& layer : step.layers) last = &block.operators[layer.members.back()];
        cost.kernel = is_reorder ? kReorder : group_name(op.op, followers);
        if (!step.layers.empty()) cost.kernel = layers_name(step.layers.size());
        if (!last->outputs.empty()) {
            cost.output = block.tensors[last->outputs[0]].name;
            cost.shape = block.tensors[last->outputs[0]].shape;
        }
        cost.origin = origin_of(block, step);
        cost.note = note_of(step.kind);
        if (step.kind == StepKind::kLayers) {
            count_layers(block, plan, step, cost);
        } else if (cost.note.empty()) {
            count(block, plan, step, cost);
        }
        return cost;
    }

    void count(const graph::Block& block, const BlockPlan& plan, Step& step, StepCost& cost) {
        const graph::Operator& op = block.operators[step.op];
        const bool is_kernel = step.kind == StepKind::kKernel;
        const tosa::OpCode code = is_kernel ? op.op : tosa::OpCode::kIdentity;
        if (kernels::find_operator_kernel(code) == nullptr) {
            cost.note = "no kernel";
            return;
        }
        const auto values = [&](const std::vector<Slot>& slots) {
            std::vector<DeviceTensor> list;
            for (const Slot slot : slots) {
                list.push_back(placed(plan.slots[slot], somewhere_));
            }
            return list;
        };
        std::vector<DeviceTensor> inputs = values(step.inputs);
        std::vector<DeviceTensor> outputs = values(step.outputs);
        if (step.kind == StepKind::kVariableRead) inputs = {variable(op)};
        if (step.kind == StepKind::kVariableWrite) outputs = {variable(op)};
        static const tosa::Attributes none = tosa::NoAttributes{};
        const std::vector<kernels::Follower> followers = bind_followers(block, step, plan.slots);
        kernels::OperatorCall call{.op = code,
                                   .attributes = is_kernel ? &op.attributes.get() : &none,
                                   .inputs = inputs,
                                   .outputs = outputs,
                                   .followers = followers};
        // Constants may be prepared. The decisions do not depend on the address.
        if (kernels::can_prepare(call)) call.prepared = somewhere_;
        const CallPlan& made = plan_of(kernels::find_call_kernel(call), call);
        step.decisions = made.planned.decisions;
        step.listed = made.cost.listed;
        take_cost(made, cost);
        const std::uint64_t bytes = kernels::prepared_bytes(call, step.decisions);
        if (bytes == 0) return;
        step.prepared = plan_.memory.take(bytes);
        plan_.prepared_bytes += bytes;
    }

    void count_layers(const graph::Block& block, const BlockPlan& plan, Step& step,
                      StepCost& cost) {
        const auto& layers = layer_plan_of(step);
        std::vector<DeviceTensor> slots = plan.slots;
        for (DeviceTensor& slot : slots) slot = placed(slot, somewhere_);
        if (layers.prepared_bytes() > 0) {
            step.prepared = plan_.memory.take(layers.prepared_bytes());
            plan_.prepared_bytes += layers.prepared_bytes();
        }
        const BoundLayers bound = bind_layers(block, step, slots);
        CountingPort port(host_, cost);
        pricing::run_firmware(host_, port,
                              [&] { kernels::layers::run_layers(bound.call(), layers); });
        port.end();
        cost.argument_words = layers.argument_words();
    }

    const CallPlan& plan_of(kernels::OperatorKernel kernel, const kernels::OperatorCall& call) {
        const std::string key = call_key(call, known_);
        if (const CallPlan* known = calls_.find(key)) return *known;
        CallPlan made;
        CountingPort port(host_, made.cost);
        made.planned = pricing::plan_call(kernel, call, host_, port);
        made.cost.listed = made.planned.is_complete && port.is_static();
        port.end();
        return calls_.add(key, std::move(made));
    }

    static void take_cost(const CallPlan& made, StepCost& cost) {
        cost.commands = made.cost.commands;
        cost.parallel_sections = made.cost.parallel_sections;
        cost.bytes_moved = made.cost.bytes_moved;
        cost.microseconds = made.cost.microseconds;
        cost.local_bytes = made.cost.local_bytes;
        cost.argument_words = made.planned.decisions.words();
        if (!made.planned.is_complete) cost.note = "depends on values that exist only at run time";
        if (!made.planned.fault.empty()) cost.note = "fails: " + made.planned.fault;
    }

    /// Plans the copies into and out of the blocks of control flow.
    void plan_copies(const graph::Block& block, const BlockPlan& plan, const Step& step) {
        const graph::Operator& op = block.operators[step.op];
        const std::vector<DeviceTensor> operands = pick(plan.slots, op.inputs);
        const std::vector<DeviceTensor> results = pick(plan.slots, step.outputs);
        if (step.kind == StepKind::kCondIf) {
            const auto& attributes = op.attributes_as<tosa::CondIfAttributes>();
            for (const tosa::SubGraph* graph : {&attributes.then_graph, &attributes.else_graph}) {
                plan_call_copies(std::span(operands).subspan(1), graph->block, results);
            }
        } else if (step.kind == StepKind::kWhileLoop) {
            const auto& attributes = op.attributes_as<tosa::WhileLoopAttributes>();
            for (std::size_t i = 0; i < results.size(); ++i) plan_copy(operands[i], results[i]);
            plan_call_copies(results, attributes.cond_graph.block, {});
            plan_call_copies(results, attributes.body_graph.block, results);
        }
    }

    void plan_call_copies(std::span<const DeviceTensor> operands, tosa::BlockReference reference,
                          std::span<const DeviceTensor> results) {
        const BlockPlan& plan = plan_.block(reference);
        for (std::size_t i = 0; i < operands.size(); ++i) {
            plan_copy(operands[i], plan.slots[plan.inputs[i]]);
        }
        for (std::size_t i = 0; i < results.size(); ++i) {
            plan_copy(plan.slots[plan.outputs[i]], results[i]);
        }
    }

    void plan_copy(const DeviceTensor& from, const DeviceTensor& to) {
        ValueCopy copy{placed(from, somewhere_), placed(to, somewhere_), kernels::DecisionList()};
        static const tosa::Attributes none = tosa::NoAttributes{};
        const kernels::OperatorCall call{
            tosa::OpCode::kIdentity, &none, {&copy.from, 1}, {&copy.to, 1}};
        copy.decisions = plan_of(kernels::find_operator_kernel(call.op), call).planned.decisions;
        plan_.copies.push_back(std::move(copy));
    }

    const DeviceTensor& variable(const graph::Operator& op) const {
        return plan_.variables[op.attributes_as<tosa::VariableAttributes>().variable];
    }

    const graph::Graph& graph_;
    GraphPlan& plan_;
    CallPlans& calls_;
    pricing::KnownMemory known_;
    std::uint64_t somewhere_;  ///< an address whose contents are unknown
    pricing::MachineHost host_;
};

}  // namespace

pricing::KnownMemory constants_of(const GraphPlan& plan) {
    pricing::KnownMemory known;
    for (const ConstantImage& constant : plan.constants) {
        known.add(constant.address, constant.value.data);
    }
    return known;
}

void decide(const graph::Graph& graph, GraphPlan& plan, const Machine& machine, CallPlans& calls) {
    StepPlanner(graph, plan, machine, calls).run();
}

void decide(const graph::Graph& graph, GraphPlan& plan, const Machine& machine) {
    CallPlans calls;
    decide(graph, plan, machine, calls);
}

}  // namespace okksim::sim::planning
