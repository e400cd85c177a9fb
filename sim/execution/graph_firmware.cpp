// SPDX-License-Identifier: Apache-2.0
#include "sim/execution/graph_firmware.h"

#include <fmt/format.h>

#include "firmware/calls/context.h"
#include "firmware/okk.h"
#include "firmware/okk_access.h"
#include "firmware/watch/kernel_checks.h"
#include "kernels/layers/layer_plan.h"
#include "sim/execution/custom_operator.h"
#include "sim/execution/operator_work.h"
#include "sim/graph/validate/operator_rules.h"
#include "sim/graph/validate/validate.h"
#include "sim/planning/run_step.h"

namespace okksim::sim::execution {
namespace {

using kernels::DeviceTensor;
using planning::BlockPlan;
using planning::pick;
using planning::Slot;
using planning::Step;
using planning::StepFollower;
using planning::StepKind;

/// Instructions to compare a zero point with the values that its type allows.
constexpr std::uint64_t kInstructionsPerZeroPoint = 20;

/// Copies a value on the device with the kernel of IDENTITY.
void copy_value(const DeviceTensor& from, const DeviceTensor& to,
                const kernels::DecisionList& planned) {
    static const tosa::Attributes none = tosa::NoAttributes{};
    kernels::Decisions decisions(planned);
    const kernels::OperatorCall call{.op = tosa::OpCode::kIdentity,
                                     .attributes = &none,
                                     .inputs = {&from, 1},
                                     .outputs = {&to, 1},
                                     .decisions = &decisions};
    kernels::find_operator_kernel(tosa::OpCode::kIdentity)(call);
    decisions.check_all_taken();
}

/// True if data written to one tensor can be read through the other.
bool same_storage(const DeviceTensor& a, const DeviceTensor& b) { return a.strides == b.strides; }

/// True if an output slot that is also an input slot is read too late. An earlier output at the
/// same address has then overwritten it, since loop bodies write where they read.
bool is_overwritten(const BlockPlan& plan, std::size_t input, std::span<const DeviceTensor> inputs,
                    std::span<const DeviceTensor> outputs) {
    for (std::size_t i = 0; i < outputs.size(); ++i) {
        if (plan.outputs[i] != plan.inputs[input]) continue;
        for (std::size_t before = 0; before < i; ++before) {
            if (outputs[before].address == inputs[input].address) return true;
        }
    }
    return false;
}

/// Reads a one-element condition on the control processor.
bool read_condition(const DeviceTensor& value) {
    std::int64_t condition = 0;
    kernels::read_values(value, {&condition, 1});
    return condition != 0;
}

std::vector<DeviceTensor> captured(const tosa::SubGraph& sub_graph,
                                   std::span<const DeviceTensor> slots) {
    return pick(slots, sub_graph.captures);
}

}  // namespace

GraphFirmware::GraphFirmware(const graph::Graph& graph, const planning::GraphPlan& plan,
                             OperatorProfile& profile, RunSurroundings& surroundings)
    : graph_(graph), plan_(plan), profile_(profile), surroundings_(surroundings) {
    for (const graph::Variable& variable : graph.variables) {
        is_written_.push_back(!variable.initial_value.empty());
    }
}

void GraphFirmware::run() {
    has_run_custom_ = false;
    okk_initialize();
    execute(graph_.entry, {}, {}, {});
    okk_poll();
}

void GraphFirmware::execute(tosa::BlockReference reference, std::span<const DeviceTensor> inputs,
                            std::span<const DeviceTensor> captures,
                            std::span<const DeviceTensor> outputs) {
    const graph::Block& block = graph_.block(reference);
    const BlockPlan& plan = plan_.block(reference);
    std::vector<DeviceTensor> slots = plan.slots;
    for (std::size_t i = 0; i < inputs.size(); ++i) {
        DeviceTensor& slot = slots[plan.inputs[i]];
        if (same_storage(slot, inputs[i]) && !is_overwritten(plan, i, inputs, outputs)) {
            slot = inputs[i];
        } else {
            copy_value(inputs[i], slot, plan_.copy_decisions(inputs[i], slot));
        }
    }
    for (std::size_t i = 0; i < captures.size(); ++i) slots[plan.captures[i]] = captures[i];
    std::size_t done = 0;
    for (const Step& step : plan.steps) {
        const std::size_t record = begin_record(block, step);
        execute_step(block, step, slots);
        forget_own_pointers();
        profile_.finish(record, surroundings_.now());
        if (progress_ && reference == graph_.entry) progress_(++done, plan.steps.size());
    }
    for (std::size_t i = 0; i < outputs.size(); ++i) {
        const DeviceTensor& result = slots[plan.outputs[i]];
        copy_value(result, outputs[i], plan_.copy_decisions(result, outputs[i]));
    }
}

// A network is one launch, so pointers of its first operators would be watched until the end. Only
// kernels of users may keep pointers between calls.
void GraphFirmware::forget_own_pointers() const {
    firmware::KernelChecks* const checks = firmware::Context::current()->checks();
    if (checks != nullptr && !has_run_custom_) checks->pointers_are_done();
}

std::size_t GraphFirmware::begin_record(const graph::Block& block, const Step& step,
                                        bool is_layer) {
    const graph::Operator& op = block.operators[step.op];
    OperatorRecord record;
    record.block = block.name;
    record.op_index = op.index;
    record.op = op.op;
    record.is_layer = is_layer;
    record.is_reorder = step.kind == StepKind::kReorder;
    record.operations = step.kind == StepKind::kReorder ? 0 : useful_operations(block, op);
    const graph::Operator* last = &op;
    for (const StepFollower& follower : step.followers) {
        last = &block.operators[follower.op];
        record.followers.push_back(last->op);
        *record.operations += useful_operations(block, *last).value_or(0);
    }
    if (step.kind == StepKind::kLayers) {
        // The records of the layers count their operations.
        record.operations = 0;
        record.layers = step.layers.size();
        last = &block.operators[step.layers.back().op];
    }
    if (!last->outputs.empty()) record.output = block.tensors[last->outputs[0]].name;
    record.origin = origin_of(block, step);
    record.start = surroundings_.now();
    record.end = record.start;
    return profile_.begin(std::move(record));
}

void GraphFirmware::execute_step(const graph::Block& block, const Step& step,
                                 std::span<const DeviceTensor> slots) {
    const graph::Operator& op = block.operators[step.op];
    switch (step.kind) {
        case StepKind::kReorder: planning::run_step(block, step, slots); return;
        case StepKind::kCondIf: execute_condition(op, slots, step); return;
        case StepKind::kWhileLoop: execute_loop(op, slots, step); return;
        case StepKind::kVariableRead: read_variable(op, slots[step.outputs[0]], step); return;
        case StepKind::kVariableWrite: write_variable(op, slots[step.inputs[0]], step); return;
        case StepKind::kLayers: run_layers(block, step, slots); return;
        case StepKind::kKernel: break;
    }
    launch_kernel(block, step, slots);
}

void GraphFirmware::launch_kernel(const graph::Block& block, const Step& step,
                                  std::span<const DeviceTensor> slots) {
    const graph::Operator& op = block.operators[step.op];
    const std::vector<DeviceTensor> inputs = pick(slots, step.inputs);
    if (op.op == tosa::OpCode::kCustom) {
        const std::vector<DeviceTensor> outputs = pick(slots, step.outputs);
        has_run_custom_ = true;
        surroundings_.custom_operator(true);
        run_custom_operator({op.op, &op.attributes.get(), inputs, outputs});
        surroundings_.custom_operator(false);
        return;
    }
    if (kernels::find_operator_kernel(op.op) == nullptr) {
        throw ProgramFault({.code = FaultCode::kUnsupported,
                            .function = std::string(tosa::op_name(op.op)),
                            .argument = fmt::format("operator {}", op.index),
                            .value = {},
                            .rule = "no kernel carries out this operator",
                            .advice = "`okksim inspect MODEL` lists the unsupported operators",
                            .unit = "graph",
                            .call_stack = {}});
    }
    check_run_time_values(block, op, inputs);
    planning::run_step(block, step, slots);
}

void GraphFirmware::run_layers(const graph::Block& block, const Step& step,
                               std::span<const DeviceTensor> slots) {
    constexpr std::int32_t kNone = -1;
    std::vector<std::optional<std::size_t>> records(step.layers.size());
    std::int32_t current = kNone;
    const auto leave = [&] {
        if (current == kNone) return;
        profile_.finish(*records[static_cast<std::size_t>(current)], surroundings_.now());
    };
    const auto enter = [&](std::int32_t layer) {
        if (layer == current) return;
        leave();
        current = layer;
        std::optional<std::size_t>& record = records[static_cast<std::size_t>(layer)];
        if (record) {
            profile_.resume(*record, surroundings_.now());
        } else {
            const std::uint32_t op = step.layers[static_cast<std::size_t>(layer)].op;
            record = begin_record(block, {.kind = StepKind::kKernel, .op = op}, /*is_layer=*/true);
        }
    };
    const auto& plan = planning::layer_plan_of(step);
    kernels::layers::run_layers(bind_layers(block, step, slots).call(), plan, enter);
    leave();
}

void GraphFirmware::check_run_time_values(const graph::Block& block, const graph::Operator& op,
                                          std::span<const DeviceTensor> inputs) {
    for (std::size_t i = 0; i < op.inputs.size(); ++i) {
        if (inputs[i].constant || !graph::is_zero_point(op.op, i)) continue;
        okk_poll();
        const auto count = static_cast<std::uint64_t>(inputs[i].count());
        okk_load_addr(inputs[i].address,
                      count * static_cast<std::uint64_t>(kernels::stored_bytes(inputs[i].type)));
        okk_compute("zero points", OKK_INTEGER_OPERATIONS, kInstructionsPerZeroPoint * count);
        graph::validate_input_value(graph_, block, op, i, surroundings_.value(inputs[i]));
    }
}

void GraphFirmware::read_variable(const graph::Operator& op, const DeviceTensor& value,
                                  const Step& step) {
    const std::uint32_t index = op.attributes_as<tosa::VariableAttributes>().variable;
    if (!is_written_[index]) {
        throw ProgramFault(
            {.code = FaultCode::kUnpredictable,
             .function = "VARIABLE_READ",
             .argument = graph_.variables[index].name,
             .value = {},
             .rule = "REQUIRE(variable_tensor.is_written), TOSA 1.0.1 section 2.17.3",
             .advice = "give the variable an initial value or write it first",
             .unit = "graph",
             .call_stack = {}});
    }
    copy_value(plan_.variables[index], value, step.decisions);
}

void GraphFirmware::write_variable(const graph::Operator& op, const DeviceTensor& value,
                                   const Step& step) {
    const std::uint32_t index = op.attributes_as<tosa::VariableAttributes>().variable;
    copy_value(value, plan_.variables[index], step.decisions);
    is_written_[index] = true;
}

void GraphFirmware::execute_condition(const graph::Operator& op,
                                      std::span<const DeviceTensor> slots, const Step& step) {
    const auto& attributes = op.attributes_as<tosa::CondIfAttributes>();
    const bool condition = read_condition(slots[op.inputs[0]]);
    const tosa::SubGraph& chosen = condition ? attributes.then_graph : attributes.else_graph;
    const std::span<const Slot> operands = std::span(op.inputs).subspan(1);
    execute(chosen.block, pick(slots, operands), captured(chosen, slots),
            pick(slots, step.outputs));
}

void GraphFirmware::execute_loop(const graph::Operator& op, std::span<const DeviceTensor> slots,
                                 const Step& step) {
    const auto& attributes = op.attributes_as<tosa::WhileLoopAttributes>();
    const std::vector<DeviceTensor> state = pick(slots, step.outputs);
    for (std::size_t i = 0; i < state.size(); ++i) {
        const DeviceTensor& first = slots[op.inputs[i]];
        copy_value(first, state[i], plan_.copy_decisions(first, state[i]));
    }
    const BlockPlan& condition = plan_.block(attributes.cond_graph.block);
    while (true) {
        execute(attributes.cond_graph.block, state, captured(attributes.cond_graph, slots), {});
        if (!read_condition(condition.slots[condition.outputs[0]])) return;
        execute(attributes.body_graph.block, state, captured(attributes.body_graph, slots), state);
    }
}

}  // namespace okksim::sim::execution
