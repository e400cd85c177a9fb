// SPDX-License-Identifier: Apache-2.0
#include "sim/component/npu.h"

#include <utility>

#include "firmware/launch/kernel_registry.h"
#include "firmware/leave/kernel_runner.h"
#include "isa/base/errors.h"
#include "models/chip/chip.h"
#include "models/chip/memory_params.h"
#include "models/dram/dram_params.h"
#include "sim/device/chip_device.h"
#include "sim/execution/executor.h"
#include "sim/graph/formats/graph_formats.h"
#include "sim/graph/validate/validate.h"
#include "sim/machine/machine.h"
#include "sim/planning/machine_plan.h"

namespace okksim {
namespace {

/// A graph with its plan and executor. It cannot be moved, because its parts refer to each other.
struct LoadedGraph {
    LoadedGraph(const std::string& file, const sim::Machine& machine, bool fuse, models::Chip& chip)
        : graph(checked(file)),
          plan(sim::planning::plan_for_machine(graph, machine, {.fuse = fuse, .layers = fuse})),
          executor(graph, plan, machine, chip) {}

    static sim::graph::Graph checked(const std::string& file) {
        sim::graph::Graph graph = sim::graph::load_graph(file);
        sim::graph::validate_graph(graph);
        return graph;
    }

    sim::graph::Graph graph;
    sim::planning::GraphPlan plan;
    sim::execution::GraphExecutor executor;
    std::vector<sim::execution::MemoryImage> images;
};

std::vector<NpuTensor> tensors_of(const sim::graph::Block& block,
                                  const std::vector<sim::graph::TensorIndex>& list,
                                  const std::vector<kernels::DeviceTensor>& places) {
    std::vector<NpuTensor> tensors;
    for (std::size_t i = 0; i < list.size(); ++i) {
        const auto bytes = static_cast<std::uint64_t>(places[i].count()) *
                           static_cast<std::uint64_t>(kernels::stored_bytes(places[i].type));
        tensors.push_back({block.tensors[list[i]].name, places[i].address, bytes});
    }
    return tensors;
}

models::ChipOptions chip_options(const NpuOptions& options) {
    models::ChipOptions chip;
    chip.threads = options.threads;
    chip.external_memory = options.external_memory;
    chip.burst_bytes = options.burst_bytes;
    chip.host_registers = options.registers;
    return chip;
}

}  // namespace

struct Npu::Parts {
    explicit Parts(const NpuOptions& options)
        : machine(sim::load_machine(options.machine, options.settings)),
          fuse(options.fuse),
          chip("chip", machine.params, chip_options(options)) {}

    sim::Machine machine;
    bool fuse;
    models::Chip chip;
    std::vector<std::unique_ptr<LoadedGraph>> graphs;
};

Npu::Npu(const sc_core::sc_module_name& name, const NpuOptions& options)
    : sc_module(name), parts_(std::make_unique<Parts>(options)) {
    host_in.bind(parts_->chip.host.in);
    parts_->chip.external.out.bind(dram_out);
}

Npu::~Npu() = default;

void Npu::end_of_elaboration() {
    if (host_in.get_base_port().size() > 0) return;
    throw ConfigError(host_in.name(),
                      "the host's socket is unbound, so no program can start; bind an initiator "
                      "that rings the doorbell (host_registers.h)");
}

std::uint32_t Npu::add_kernel(const std::string& name) {
    const firmware::KernelEntry entry = firmware::KernelRegistry::instance().find(name);
    return parts_->chip.host.add_program(
        [this, entry](isa::CommandPort& port, std::span<const std::byte> arguments) {
            firmware::ContextOptions context_options = sim::context_options(parts_->machine);
            context_options.report = [this](Finding finding) {
                parts_->chip.add_finding(std::move(finding));
            };
            firmware::Context context(port, std::move(context_options));
            return firmware::run_kernel(context, entry, arguments);
        });
}

NpuGraph Npu::add_graph(const std::string& file) {
    Parts& parts = *parts_;
    parts.graphs.push_back(
        std::make_unique<LoadedGraph>(file, parts.machine, parts.fuse, parts.chip));
    LoadedGraph& loaded = *parts.graphs.back();
    sim::execution::GraphExecutor& executor = loaded.executor;
    loaded.images = executor.images();
    NpuGraph result;
    result.run = parts.chip.host.add_program(
        [&executor](isa::CommandPort& port, std::span<const std::byte>) {
            return executor.run_on(port);
        });
    for (const auto& image : loaded.images) result.images.push_back({image.address, image.data});
    const sim::graph::Block& main = loaded.graph.main();
    result.inputs = tensors_of(main, main.inputs, executor.input_places());
    result.outputs = tensors_of(main, main.outputs, executor.output_places());
    return result;
}

std::uint64_t Npu::global_start() const { return parts_->machine.params.shape().global().start; }

std::uint64_t Npu::global_bytes() const { return parts_->machine.params.shape().global().bytes; }

std::uint64_t Npu::free_start() const {
    return global_start() +
           static_cast<std::uint64_t>(parts_->machine.params.global->reserved_bytes);
}

const models::DramParams& Npu::dram() const { return *parts_->machine.params.dram; }

std::string Npu::fault() const {
    const auto& fault = parts_->chip.host.fault();
    return fault ? fault->message() : std::string();
}

std::string Npu::findings() { return findings_text(parts_->chip.take_findings(), ""); }

}  // namespace okksim
