// SPDX-License-Identifier: Apache-2.0
// okksim_count_computing [seeds | file.tosa] [operator]: launches kernels without effects. Prints
// for each launch the cycles charged for its own computing, and the case. Under callgrind, the
// output also gives the number of instructions (README.md).
#include <cstdlib>
#include <cstring>
#include <iostream>
#include <map>
#include <string>
#include <utility>

#include "firmware/calls/context.h"
#include "firmware/leave/kernel_runner.h"
#include "firmware/okk.h"
#include "isa/base/fault.h"
#include "kernels/layers/layer_plan.h"
#include "models/mcu/mcu_params.h"
#include "models/mcu/mcu_timing.h"
#include "models/memory/local_memory.h"
#include "models/memory/system_memory.h"
#include "sim/graph/formats/graph_formats.h"
#include "sim/graph/validate/validate.h"
#include "sim/machine/machine.h"
#include "sim/planning/machine_plan.h"
#include "sim/planning/operator_groups.h"
#include "sim/planning/packed_constants.h"
#include "tests/reference/tosa/random_case.h"
#include "tests/support/random_layers.h"

namespace {

using namespace okksim;
using kernels::DeviceTensor;
using kernels::OperatorCall;

/// Sums the charges of kernels. Commands have no effect.
class ChargePort : public isa::CommandPort {
 public:
    explicit ChargePort(const sim::Machine& machine)
        : mcu_(*machine.params.mcu),
          shape_(machine.params.shape()),
          local_(shape_),
          system_(shape_) {
        // Lanes hold no violation flags or other values that the firmware checks.
        for (int lane = 0; lane < local_.lanes(); ++lane) {
            std::memset(local_.at(lane, 0), 0, static_cast<std::size_t>(local_.bytes_per_lane()));
        }
    }

    const isa::MachineShape& machine() const override { return shape_; }
    void submit(const isa::Command&) override { ++commands_; }
    void wait_until_idle() override {}
    void charge(isa::FirmwareCall) override {}
    void compute(const isa::Computation& computation) override {
        cycles_ += models::compute_cycles(computation, mcu_).value;
        operations_[std::string(computation.what)] += computation.operations;
    }
    void access(const isa::ProcessorAccess&) override {}
    void* local_pointer(isa::LocalAddr addr) override { return local_.pointer(addr); }
    void* system_pointer(std::uint64_t addr) override { return system_.pointer_to_rest(addr); }

    void write(std::uint64_t address, std::span<const std::byte> bytes) {
        if (bytes.empty()) return;
        std::memcpy(system_.pointer(address, bytes.size()), bytes.data(), bytes.size());
    }
    std::int64_t take_cycles() { return std::exchange(cycles_, 0); }
    /// Returns the charges by operation and clears them.
    std::map<std::string, std::uint64_t> take_operations() {
        return std::exchange(operations_, {});
    }
    std::int64_t take_commands() { return std::exchange(commands_, 0); }

 private:
    models::McuParams mcu_;
    isa::MachineShape shape_;
    models::LocalMemory local_;
    models::SystemMemory system_;
    std::int64_t cycles_ = 0;
    std::int64_t commands_ = 0;
    std::map<std::string, std::uint64_t> operations_;
};

}  // namespace

/// A kernel.
using Firmware = void (*)(const OperatorCall&, const kernels::DecisionList&);

/// The function that callgrind measures, from entry to return, without okk_ functions.
extern "C" [[gnu::noinline]] void counted_kernel(Firmware kernel, const OperatorCall* call,
                                                 const kernels::DecisionList* decisions) {
    okk_initialize();
    kernel(*call, *decisions);
    okk_poll();
    asm volatile("" ::: "memory");  // no jump: the return is seen
}

namespace {

struct Launch {
    Firmware firmware;
    OperatorCall call;
    const kernels::DecisionList& decisions;
};

void run_operator(const OperatorCall& call, const kernels::DecisionList&) {
    kernels::find_call_kernel(call)(call);
}

/// Launches twice: the first time the host binds symbols and grows its heap, which is not the
/// kernel's work.
void launch(ChargePort& port, const Launch& request, const std::string& text) {
    const auto entry = [](const void* argument) {
        const auto& launch = *static_cast<const Launch*>(argument);
        counted_kernel(launch.firmware, &launch.call, &launch.decisions);
    };
    std::optional<FaultRecord> fault;
    for (int i = 0; i < 2; ++i) {
        port.take_cycles();
        port.take_commands();
        port.take_operations();
        Launch own = request;
        kernels::Decisions decisions(request.decisions);
        if (own.call.decisions != nullptr) own.call.decisions = &decisions;
        firmware::Context context(port);
        fault = firmware::run_kernel(context, entry, &own, firmware::DeliveryMode::kThrow);
    }
    std::cout << port.take_cycles() << '\t' << port.take_commands() << '\t' << text
              << (fault ? " FAULT " + fault->rule : "");
    for (const auto& [what, operations] : port.take_operations()) {
        if (std::getenv("OKKSIM_PARTS") != nullptr) std::cout << '|' << what << '=' << operations;
    }
    std::cout << '\n';
}

/// The group for which run_layers() is launched.
const kernels::layers::LayerCall* current_layers = nullptr;

void run_layers(const OperatorCall&, const kernels::DecisionList& decisions) {
    kernels::layers::run_layers(*current_layers,
                                decisions.at<kernels::layers::LayerPlan>(0, "layers"));
}

void run_group(const sim::graph::Block& block, const sim::planning::BlockPlan& plan,
               const sim::planning::Step& step, ChargePort& port, const std::string& text) {
    const sim::planning::BoundLayers bound = sim::planning::bind_layers(block, step, plan.slots);
    const kernels::layers::LayerCall call = bound.call();
    current_layers = &call;
    const std::string name = sim::planning::layers_name(step.layers.size()) + " " + text;
    launch(port, {run_layers, {}, step.decisions}, name);
}

void run_step(const sim::graph::Block& block, const sim::planning::BlockPlan& plan,
              const sim::planning::Step& step, ChargePort& port, const std::string& text) {
    using sim::planning::StepKind;
    if (step.kind == StepKind::kLayers) return run_group(block, plan, step, port, text);
    if (step.kind != StepKind::kKernel && step.kind != StepKind::kReorder) return;
    const sim::graph::Operator& op = block.operators[step.op];
    const bool is_kernel = step.kind == StepKind::kKernel;
    const tosa::OpCode code = is_kernel ? op.op : tosa::OpCode::kIdentity;
    static const tosa::Attributes none = tosa::NoAttributes{};
    const std::vector<DeviceTensor> inputs = sim::planning::pick(plan.slots, step.inputs);
    const std::vector<DeviceTensor> outputs = sim::planning::pick(plan.slots, step.outputs);
    const auto followers = sim::planning::bind_followers(block, step, plan.slots);
    kernels::Decisions decisions(step.decisions);
    const OperatorCall call{.op = code,
                            .attributes = is_kernel ? &op.attributes.get() : &none,
                            .inputs = inputs,
                            .outputs = outputs,
                            .prepared = step.prepared,
                            .followers = followers,
                            .decisions = &decisions};
    const std::string name =
        text.empty() ? std::string(tosa::op_name(code)) + " " + block.tensors[op.outputs[0]].name
                     : (is_kernel ? text : "(reorder) for " + text);
    launch(port, {run_operator, call, step.decisions}, name);
}

void run_graph(const sim::graph::Graph& graph, std::span<const sim::graph::HostTensor> inputs,
               const sim::Machine& machine, const std::string& text) {
    const auto plan = sim::planning::plan_for_machine(graph, machine);
    ChargePort port(machine);
    for (const auto& constant : plan.constants) {
        if (constant.is_read) port.write(constant.address, constant.value.data);
    }
    sim::planning::pack_constants(
        graph, plan, [&](std::uint64_t address, auto bytes) { port.write(address, bytes); });
    const sim::planning::BlockPlan& main = plan.block(graph.entry);
    for (std::size_t i = 0; i < inputs.size(); ++i) {
        port.write(main.slots[main.inputs[i]].address, inputs[i].data);
    }
    for (const auto& step : main.steps) run_step(graph.main(), main, step, port, text);
}

}  // namespace

int main(int count, char** arguments) {
    const std::string what = count > 1 ? arguments[1] : "2";
    const std::string wanted = count > 2 ? arguments[2] : "all";
    const sim::Machine machine = sim::load_machine("bm1684");
    if (what.ends_with(".tosa")) {
        sim::graph::Graph graph = sim::graph::load_graph(what);
        sim::graph::validate_graph(graph);
        run_graph(graph, {}, machine, "");
        return 0;
    }
    const sim::Machine small =
        sim::load_machine("bm1684", {"chip.lanes=8", "chip.local_memory_bytes=32768"});
    const auto seeds = static_cast<std::uint64_t>(std::atol(what.c_str()));
    for (const tosa::OpCode op : tests::random_operators()) {
        if (wanted != "all" && wanted != tosa::op_name(op)) continue;
        for (std::uint64_t seed = 1; seed <= seeds; ++seed) {
            tests::RandomSource random(seed * 1000003 + static_cast<std::uint64_t>(op));
            const tests::RandomCase test = tests::make_random_case(op, random, 1);
            sim::graph::validate_graph(test.graph);
            run_graph(test.graph, test.inputs, seed % 2 == 1 ? machine : small,
                      "seed " + std::to_string(seed) + " " + test.text);
        }
    }
    if (wanted != "all" && wanted != "layers") return 0;
    constexpr std::uint64_t kNetworksPerSeed = 6;  // operators count more than once, too
    for (std::uint64_t seed = 1; seed <= kNetworksPerSeed * seeds; ++seed) {
        tests::RandomLayers network(seed);
        const sim::graph::Graph graph = network.make();
        sim::graph::validate_graph(graph);
        run_graph(graph, network.inputs(), seed % 2 == 1 ? machine : small,
                  "seed " + std::to_string(seed));
    }
    return 0;
}
