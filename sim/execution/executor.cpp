// SPDX-License-Identifier: Apache-2.0
#include "sim/execution/executor.h"

#include <algorithm>

#include "firmware/kernel_runner.h"
#include "firmware/okk.h"
#include "isa/errors.h"
#include "kernels/prepared_constants.h"
#include "sim/graph/mapped_file.h"

namespace okksim::sim::execution {
namespace {

using kernels::DeviceTensor;
using planning::BlockPlan;
using planning::ConstantImage;
using planning::GraphPlan;
using planning::pick;
using planning::Step;

constexpr std::size_t kConstantPiece = std::size_t{16} << 20;

}  // namespace

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
    simulation_.chip().write_memory(address, bytes);
}

graph::HostTensor GraphExecutor::read_value(const DeviceTensor& value) {
    OKKSIM_CHECK(kernels::is_row_major(value));
    const auto count = static_cast<std::size_t>(value.count());
    const std::size_t bytes = count * static_cast<std::size_t>(kernels::stored_bytes(value.type));
    std::vector<std::byte> data(bytes);
    simulation_.chip().read_memory(value.address, data);
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
                kernels::Decisions decisions(step.preparing);
                kernels::prepare_constants({.op = op.op,
                                            .attributes = &op.attributes,
                                            .inputs = inputs,
                                            .outputs = {},
                                            .prepared = step.prepared,
                                            .decisions = &decisions});
                decisions.check_all_taken();
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

}  // namespace okksim::sim::execution
