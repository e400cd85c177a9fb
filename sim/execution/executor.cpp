// SPDX-License-Identifier: Apache-2.0
#include "sim/execution/executor.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>

#include "firmware/kernel_runner.h"
#include "firmware/okk.h"
#include "isa/errors.h"
#include "kernels/prepared_constants.h"
#include "models/common/npu_module.h"
#include "sim/execution/custom_operator.h"
#include "sim/execution/operator_work.h"
#include "sim/graph/mapped_file.h"
#include "sim/graph/validate/operator_rules.h"
#include "sim/graph/validate/validate.h"

namespace okksim::sim::execution {
namespace {

using kernels::DeviceTensor;

constexpr std::size_t kConstantPiece = std::size_t{16} << 20;

std::vector<DeviceTensor> pick(std::span<const DeviceTensor> slots, std::span<const Slot> which) {
    std::vector<DeviceTensor> values;
    for (const Slot slot : which) values.push_back(slots[slot]);
    return values;
}

/// Copies a value on the device: the kernel of IDENTITY.
void copy_value(const DeviceTensor& from, const DeviceTensor& to) {
    static const tosa::Attributes none = tosa::NoAttributes{};
    const kernels::OperatorCall call{tosa::OpCode::kIdentity, &none, {&from, 1}, {&to, 1}};
    kernels::find_operator_kernel(tosa::OpCode::kIdentity)(call);
}

/// True when what is written to the one can be read through the other.
bool same_storage(const DeviceTensor& a, const DeviceTensor& b) { return a.strides == b.strides; }

/// True when a block's output slot that is one of its inputs would be read after the operator's
/// output at the same address has been written: loop bodies write where they read.
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

/// The control processor's own read of a one-element condition.
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

MemoryRange graph_memory(const Machine& machine) {
    const isa::MachineShape shape = machine.params.shape();
    const auto reserved = static_cast<std::uint64_t>(machine.params.global.reserved_bytes);
    return {shape.global_start + reserved, shape.global_bytes - reserved};
}

GraphExecutor::GraphExecutor(const graph::Graph& graph, const GraphPlan& plan,
                             Simulation& simulation)
    : graph_(graph),
      plan_(plan),
      simulation_(simulation),
      profile_(simulation.machine().params.shape()),
      accountant_(simulation.machine().params) {
    simulation_.chip().add_observer(profile_);
    simulation_.chip().add_observer(accountant_);
    accountant_.add_listener(profile_.cutter());
    for (const ConstantImage& constant : plan.constants) {
        // Piece by piece, so that a large constant is never in host memory twice.
        for (std::size_t at = 0; at < constant.value.data.size(); at += kConstantPiece) {
            const std::size_t left = constant.value.data.size() - at;
            const auto piece = constant.value.data.subspan(at, std::min(left, kConstantPiece));
            write_memory(constant.address + at, piece);
            graph::release_pages(piece);
        }
    }
    is_written_.resize(plan.variables.size());
    for (std::size_t i = 0; i < plan.variables.size(); ++i) {
        const graph::Variable& variable = graph.variables[i];
        if (variable.initial_value.empty()) {
            const auto bytes = static_cast<std::size_t>(plan.variables[i].count()) *
                               static_cast<std::size_t>(kernels::stored_bytes(variable.type));
            write_memory(plan.variables[i].address, std::vector<std::byte>(bytes));
        } else {
            set_variable(
                i, graph::constant_value(variable.type, variable.shape, variable.initial_value));
        }
    }
}

void GraphExecutor::write_memory(std::uint64_t address, std::span<const std::byte> bytes) {
    if (bytes.empty()) return;
    std::byte* target = simulation_.chip().system_memory().pointer(address, bytes.size());
    OKKSIM_CHECK(target != nullptr);
    std::memcpy(target, bytes.data(), bytes.size());
    simulation_.chip().host_wrote(address, bytes.size());
}

graph::HostTensor GraphExecutor::read_value(const DeviceTensor& value) {
    OKKSIM_CHECK(kernels::is_row_major(value));
    const auto count = static_cast<std::size_t>(value.count());
    const std::size_t bytes = count * static_cast<std::size_t>(kernels::stored_bytes(value.type));
    std::vector<std::byte> data(bytes);
    if (bytes > 0) {
        const std::byte* source = simulation_.chip().system_memory().pointer(value.address, bytes);
        OKKSIM_CHECK(source != nullptr);
        std::memcpy(data.data(), source, bytes);
    }
    graph::Shape shape(value.dims.begin(), value.dims.begin() + value.rank);
    return graph::make_host_tensor(value.type, std::move(shape), std::move(data));
}

void GraphExecutor::set_input(std::size_t index, const graph::HostTensor& value) {
    const BlockPlan& main = plan_.block(graph_.entry);
    write_memory(main.slots[main.inputs.at(index)].address, value.data);
}

graph::HostTensor GraphExecutor::output(std::size_t index) {
    const BlockPlan& main = plan_.block(graph_.entry);
    return read_value(main.slots[main.outputs.at(index)]);
}

graph::HostTensor GraphExecutor::variable(std::size_t index) {
    return read_value(plan_.variables.at(index));
}

void GraphExecutor::set_variable(std::size_t index, const graph::HostTensor& value) {
    write_memory(plan_.variables.at(index).address, value.data);
    is_written_.at(index) = true;
}

std::optional<FaultRecord> GraphExecutor::launch(firmware::KernelEntry kernel,
                                                 const LaunchLimits& limits,
                                                 ExecutionReport& report) {
    std::optional<FaultRecord> fault;
    const auto body = [&](isa::CommandPort& port) {
        firmware::ContextOptions options = context_options(simulation_.machine());
        options.command_budget = limits.command_budget;
        options.idle_seconds = limits.idle_seconds;
        firmware::Context context(port, options);
        fault = firmware::run_kernel(context, kernel, this, firmware::DeliveryMode::kThrow);
    };
    simulation_.launch({body, [&](models::Picoseconds start, models::Picoseconds end) {
                            report.start = start;
                            report.end = end;
                        }});
    simulation_.run();
    if (!fault) fault = simulation_.chip().fault();
    simulation_.chip().clear_fault();
    return fault;
}

void GraphExecutor::prepare_constants() {
    for (std::size_t region = 0; region < plan_.blocks.size(); ++region) {
        for (std::size_t i = 0; i < plan_.blocks[region].size(); ++i) {
            const graph::Block& block = graph_.regions[region].blocks[i];
            const BlockPlan& plan = plan_.blocks[region][i];
            for (const Step& step : plan.steps) {
                if (step.prepared == 0) continue;
                const graph::Operator& op = block.operators[step.op];
                const std::vector<DeviceTensor> inputs = pick(plan.slots, step.inputs);
                kernels::prepare_constants({.op = op.op,
                                            .attributes = &op.attributes,
                                            .inputs = inputs,
                                            .outputs = {},
                                            .prepared = step.prepared});
            }
        }
    }
}

std::optional<FaultRecord> GraphExecutor::prepare(const LaunchLimits& limits) {
    if (plan_.prepared_bytes == 0 || is_prepared_) return std::nullopt;
    const auto kernel = [](const void* self) {
        okk_initialize();
        const_cast<GraphExecutor*>(static_cast<const GraphExecutor*>(self))->prepare_constants();
        okk_poll();
    };
    ExecutionReport report;
    const std::optional<FaultRecord> fault = launch(kernel, limits, report);
    is_prepared_ = !fault;
    return fault;
}

ExecutionReport GraphExecutor::run(const LaunchLimits& limits) {
    ExecutionReport report;
    report.fault = prepare(limits);
    if (report.fault) return report;
    profile_.clear();
    const auto kernel = [](const void* self) {
        okk_initialize();
        auto* executor = const_cast<GraphExecutor*>(static_cast<const GraphExecutor*>(self));
        executor->execute(executor->graph_.entry, {}, {}, {});
        okk_poll();
    };
    report.fault = launch(kernel, limits, report);
    report.findings = simulation_.chip().take_findings();
    report.operators = profile_.records_with_shares();
    report.account = accountant_.launches().back();
    report.rest = profile_.cutter().rest();
    return report;
}

void GraphExecutor::execute(tosa::BlockReference reference, std::span<const DeviceTensor> inputs,
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
            copy_value(inputs[i], slot);
        }
    }
    for (std::size_t i = 0; i < captures.size(); ++i) slots[plan.captures[i]] = captures[i];
    std::size_t done = 0;
    for (const Step& step : plan.steps) {
        const std::size_t record = begin_record(block, step);
        execute_step(block, step, slots);
        profile_.finish(record, models::now());
        if (progress_ && reference == graph_.entry) progress_(++done, plan.steps.size());
    }
    for (std::size_t i = 0; i < outputs.size(); ++i) copy_value(slots[plan.outputs[i]], outputs[i]);
}

std::size_t GraphExecutor::begin_record(const graph::Block& block, const Step& step) {
    const graph::Operator& op = block.operators[step.op];
    OperatorRecord record;
    record.block = block.name;
    record.op_index = op.index;
    record.op = op.op;
    record.is_reorder = step.kind == StepKind::kReorder;
    record.operations = step.kind == StepKind::kReorder ? 0 : useful_operations(block, op);
    const graph::Operator* last = &op;
    for (const StepFollower& follower : step.followers) {
        last = &block.operators[follower.op];
        record.followers.push_back(last->op);
        *record.operations += useful_operations(block, *last).value_or(0);
    }
    if (!last->outputs.empty()) record.output = block.tensors[last->outputs.front()].name;
    record.start = models::now();
    record.end = record.start;
    return profile_.begin(std::move(record));
}

void GraphExecutor::execute_step(const graph::Block& block, const Step& step,
                                 std::span<const DeviceTensor> slots) {
    const graph::Operator& op = block.operators[step.op];
    switch (step.kind) {
        case StepKind::kReorder: copy_value(slots[step.inputs[0]], slots[step.outputs[0]]); return;
        case StepKind::kCondIf: execute_condition(op, slots, step); return;
        case StepKind::kWhileLoop: execute_loop(op, slots, step); return;
        case StepKind::kVariableRead: read_variable(op, slots[step.outputs[0]]); return;
        case StepKind::kVariableWrite: write_variable(op, slots[step.inputs[0]]); return;
        case StepKind::kKernel: break;
    }
    launch_kernel(block, step, slots);
}

void GraphExecutor::launch_kernel(const graph::Block& block, const Step& step,
                                  std::span<const DeviceTensor> slots) {
    const graph::Operator& op = block.operators[step.op];
    const std::vector<DeviceTensor> inputs = pick(slots, step.inputs);
    const std::vector<DeviceTensor> outputs = pick(slots, step.outputs);
    if (op.op == tosa::OpCode::kCustom) {
        run_custom_operator({op.op, &op.attributes, inputs, outputs});
        return;
    }
    const kernels::OperatorKernel kernel = kernels::find_operator_kernel(op.op);
    if (kernel == nullptr) {
        throw ProgramFault({.code = FaultCode::kUnsupported,
                            .function = std::string(tosa::op_name(op.op)),
                            .argument = fmt::format("operator {}", op.index),
                            .value = {},
                            .rule = "no kernel carries out this operator",
                            .advice = "see `okksim coverage` for what a model needs",
                            .unit = "graph",
                            .call_stack = {}});
    }
    check_run_time_values(block, op, inputs);
    const std::vector<kernels::Follower> followers = bind_followers(block, step, slots);
    kernel({op.op, &op.attributes, inputs, outputs, step.prepared, followers});
}

void GraphExecutor::check_run_time_values(const graph::Block& block, const graph::Operator& op,
                                          std::span<const DeviceTensor> inputs) {
    for (std::size_t i = 0; i < op.inputs.size(); ++i) {
        if (inputs[i].constant || !graph::is_zero_point(op.op, i)) continue;
        okk_poll();
        graph::validate_input_value(graph_, block, op, i, read_value(inputs[i]));
    }
}

void GraphExecutor::read_variable(const graph::Operator& op, const DeviceTensor& value) {
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
    copy_value(plan_.variables[index], value);
}

void GraphExecutor::write_variable(const graph::Operator& op, const DeviceTensor& value) {
    const std::uint32_t index = op.attributes_as<tosa::VariableAttributes>().variable;
    copy_value(value, plan_.variables[index]);
    is_written_[index] = true;
}

void GraphExecutor::execute_condition(const graph::Operator& op,
                                      std::span<const DeviceTensor> slots, const Step& step) {
    const auto& attributes = op.attributes_as<tosa::CondIfAttributes>();
    const bool condition = read_condition(slots[op.inputs[0]]);
    const tosa::SubGraph& chosen = condition ? attributes.then_graph : attributes.else_graph;
    const std::span<const Slot> operands = std::span(op.inputs).subspan(1);
    execute(chosen.block, pick(slots, operands), captured(chosen, slots),
            pick(slots, step.outputs));
}

void GraphExecutor::execute_loop(const graph::Operator& op, std::span<const DeviceTensor> slots,
                                 const Step& step) {
    const auto& attributes = op.attributes_as<tosa::WhileLoopAttributes>();
    const std::vector<DeviceTensor> state = pick(slots, step.outputs);
    for (std::size_t i = 0; i < state.size(); ++i) copy_value(slots[op.inputs[i]], state[i]);
    const BlockPlan& condition = plan_.block(attributes.cond_graph.block);
    while (true) {
        execute(attributes.cond_graph.block, state, captured(attributes.cond_graph, slots), {});
        if (!read_condition(condition.slots[condition.outputs[0]])) return;
        execute(attributes.body_graph.block, state, captured(attributes.body_graph, slots), state);
    }
}

}  // namespace okksim::sim::execution
