// SPDX-License-Identifier: Apache-2.0
#include "sim/execution/executor.h"

#include <algorithm>

#include "firmware/leave/kernel_runner.h"
#include "isa/base/errors.h"
#include "models/chip/chip.h"
#include "models/chip/memory_params.h"
#include "models/common/npu_module.h"
#include "sim/execution/graph_limits.h"
#include "sim/files/mapped_file.h"
#include "sim/graph/file_forms.h"
#include "sim/planning/decide.h"
#include "sim/planning/packed_constants.h"

namespace okksim::sim::execution {
namespace {

using kernels::DeviceTensor;
using planning::BlockPlan;
using planning::ConstantImage;
using planning::GraphPlan;
using planning::pick;

constexpr std::size_t kConstantPiece = std::size_t{16} << 20;

}  // namespace

GraphExecutor::GraphExecutor(const graph::Graph& graph, const GraphPlan& plan,
                             const Machine& machine, models::Chip& chip)
    : graph_(graph),
      plan_(plan),
      machine_(machine),
      chip_(chip),
      profile_(machine.params),
      firmware_(graph, plan, profile_, *this),
      accountant_(machine.params) {
    chip_.add_observer(profile_);
    chip_.add_observer(accountant_);
    accountant_.add_listener(profile_.cutter());
}

GraphExecutor::GraphExecutor(const graph::Graph& graph, const GraphPlan& plan,
                             Simulation& simulation)
    : GraphExecutor(graph, plan, simulation.machine(), simulation.chip()) {
    simulation_ = &simulation;
    chip_.watch_results();
    planning::pack_constants(
        graph, plan, [this](std::uint64_t address, auto bytes) { write_memory(address, bytes); });
    for (const MemoryImage& image : stored_images()) {
        // Written in pieces, so that host memory never holds a large constant twice.
        image.data.for_each_piece(kConstantPiece,
                                  [&](std::span<const std::byte> piece, std::uint64_t at) {
                                      write_memory(image.address + at, piece);
                                      if (image.data.is_view()) release_pages(piece);
                                  });
    }
}

std::vector<MemoryImage> GraphExecutor::images() const {
    std::vector<MemoryImage> images = stored_images();
    planning::pack_constants(
        graph_, plan_, [&images](std::uint64_t address, std::span<const std::byte> bytes) {
            auto own = std::make_shared<const std::vector<std::byte>>(bytes.begin(), bytes.end());
            images.push_back({address, graph::ConstantData(*own), std::move(own)});
        });
    return images;
}

std::vector<MemoryImage> GraphExecutor::stored_images() const {
    std::vector<MemoryImage> images;
    for (const ConstantImage& constant : plan_.constants) {
        if (!constant.is_read) continue;
        images.push_back({constant.address, constant.value.data, nullptr});
    }
    for (std::size_t i = 0; i < plan_.variables.size(); ++i) {
        const graph::Variable& variable = graph_.variables[i];
        const std::uint64_t address = plan_.variables[i].address;
        if (!variable.initial_value.empty()) {
            graph::HostBytes value =
                graph::host_bytes(variable.type, variable.shape, variable.initial_value);
            images.push_back({address, value.data, std::move(value.owner)});
            continue;
        }
        const auto bytes = static_cast<std::uint64_t>(plan_.variables[i].count()) *
                           static_cast<std::uint64_t>(kernels::stored_bytes(variable.type));
        auto zeros =
            std::make_shared<const graph::RepeatedElement>(std::array<std::byte, 1>{}, bytes);
        images.push_back({address, graph::ConstantData(*zeros), std::move(zeros)});
    }
    return images;
}

std::vector<DeviceTensor> GraphExecutor::input_places() const {
    const BlockPlan& main = plan_.block(graph_.entry);
    return pick(main.slots, main.inputs);
}

void GraphExecutor::show_memory(
    const std::function<void(std::uint64_t, std::span<const std::byte>)>& visit) const {
    const auto& global = *machine_.params.global;
    const auto start = static_cast<std::uint64_t>(global.start + global.reserved_bytes);
    std::vector<std::byte> piece;
    for (std::uint64_t at = start; at < plan_.memory.end(); at += piece.size()) {
        piece.resize(std::min<std::uint64_t>(plan_.memory.end() - at, kConstantPiece));
        chip_.read_memory(at, piece);
        visit(at, piece);
    }
}

std::vector<DeviceTensor> GraphExecutor::output_places() const {
    const BlockPlan& main = plan_.block(graph_.entry);
    return pick(main.slots, main.outputs);
}

std::vector<std::pair<const graph::Tensor*, DeviceTensor>> GraphExecutor::constant_places() const {
    std::vector<std::pair<const graph::Tensor*, DeviceTensor>> places;
    for (std::size_t region = 0; region < plan_.blocks.size(); ++region) {
        for (std::size_t i = 0; i < plan_.blocks[region].size(); ++i) {
            const auto& tensors = graph_.regions[region].blocks[i].tensors;
            const std::vector<DeviceTensor>& slots = plan_.blocks[region][i].slots;
            for (std::size_t t = 0; t < tensors.size() && t < slots.size(); ++t) {
                if (!tensors[t].has_data || slots[t].address == 0) continue;
                if (slots[t].address >= plan_.memory.end()) continue;  // only packed
                places.emplace_back(&tensors[t], slots[t]);
            }
        }
    }
    return places;
}

void GraphExecutor::write_memory(std::uint64_t address, std::span<const std::byte> bytes) {
    chip_.write_memory(address, bytes);
}

models::Picoseconds GraphExecutor::now() const { return models::now(); }

graph::HostTensor GraphExecutor::value(const DeviceTensor& tensor) {
    OKKSIM_CHECK(kernels::is_row_major(tensor));
    const auto count = static_cast<std::size_t>(tensor.count());
    const std::size_t bytes = count * static_cast<std::size_t>(kernels::stored_bytes(tensor.type));
    std::vector<std::byte> data(bytes);
    chip_.read_memory(tensor.address, data);
    graph::Shape shape(tensor.dims.begin(), tensor.dims.begin() + tensor.rank);
    return graph::make_host_tensor(tensor.type, std::move(shape), std::move(data));
}

void GraphExecutor::set_input(std::size_t index, const graph::HostTensor& value) {
    const BlockPlan& main = plan_.block(graph_.entry);
    write_memory(main.slots[main.inputs.at(index)].address, value.data);
}

graph::HostTensor GraphExecutor::output(std::size_t index) {
    const BlockPlan& main = plan_.block(graph_.entry);
    const graph::Tensor& tensor = graph_.main().tensors[graph_.main().outputs.at(index)];
    return graph::in_file_shape(
        graph_, tensor.name,
        graph::to_file_form(value(main.slots[main.outputs.at(index)]), tensor));
}

graph::HostTensor GraphExecutor::variable(std::size_t index) {
    return value(plan_.variables.at(index));
}

void GraphExecutor::set_variable(std::size_t index, const graph::HostTensor& value) {
    write_memory(plan_.variables.at(index).address, value.data);
    firmware_.variable_written(index);
}

std::optional<FaultRecord> GraphExecutor::carry_out(firmware::KernelEntry kernel,
                                                    isa::CommandPort& port,
                                                    const LaunchLimits& limits) {
    firmware::ContextOptions options = context_options(machine_);
    set_limits(graph_, limits, options);
    if (looks_for_mistakes_) {
        options.report = [this](Finding finding) {
            // The kernels of operators are written for the API reference.
            if (finding.kind != FindingKind::kVendor) chip_.add_finding(std::move(finding));
        };
    }
    look_for_undefined(chip_, options);
    firmware::Context context(port, options);
    auto fault = firmware::run_kernel(context, kernel, this, firmware::DeliveryMode::kThrow);
    if (fault) advise_for_graph(limits, *fault);
    return fault;
}

std::optional<FaultRecord> GraphExecutor::launch(Body body, const LaunchLimits& limits,
                                                 ExecutionReport& report) {
    OKKSIM_CHECK(simulation_ != nullptr);
    std::optional<FaultRecord> fault;
    simulation_->launch({[&](isa::CommandPort& port) { fault = (this->*body)(port, limits); },
                         [&](models::Picoseconds start, models::Picoseconds end) {
                             report.start = start;
                             report.end = end;
                         }});
    simulation_->run();
    if (!fault) fault = chip_.fault();
    chip_.clear_fault();
    return fault;
}

std::optional<FaultRecord> GraphExecutor::run_on(isa::CommandPort& port,
                                                 const LaunchLimits& limits) {
    const auto kernel = [](const void* self) {
        const_cast<GraphExecutor*>(static_cast<const GraphExecutor*>(self))->firmware_.run();
    };
    return carry_out(kernel, port, limits);
}

std::optional<FaultRecord> GraphExecutor::run_noting_loads(isa::CommandPort& port,
                                                           const LaunchLimits& limits) {
    const pricing::KnownMemory constants = planning::constants_of(plan_);
    LoadNotes notes(port, constants, *noted_);
    return run_on(notes, limits);
}

void GraphExecutor::watch_kernels() {
    call_sites_ = std::make_unique<CallSites>(true);
    watch_calls(chip_, *call_sites_);
}

void GraphExecutor::look_at_outputs(std::vector<Finding>& findings) {
    for (const DeviceTensor& output : output_places()) {
        const auto bytes = static_cast<std::uint64_t>(output.count()) *
                           static_cast<std::uint64_t>(kernels::stored_bytes(output.type));
        if (auto finding = chip_.host_reads(output.address, bytes)) {
            findings.push_back(std::move(*finding));
        }
    }
}

ExecutionReport GraphExecutor::run(const LaunchLimits& limits) {
    ExecutionReport report = empty_report(machine_.params);
    profile_.clear();
    report.fault =
        launch(noted_ == nullptr ? &GraphExecutor::run_on : &GraphExecutor::run_noting_loads,
               limits, report);
    report.findings = chip_.take_findings();
    if (!report.fault) look_at_outputs(report.findings);
    report.operators = profile_.records_with_shares();
    report.sections = profile_.sections();
    report.account = accountant_.launches().back();
    report.rest = profile_.cutter().rest();
    return report;
}

}  // namespace okksim::sim::execution
