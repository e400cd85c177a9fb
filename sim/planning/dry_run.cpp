// SPDX-License-Identifier: Apache-2.0
#include "sim/planning/dry_run.h"

#include <algorithm>
#include <cstring>
#include <functional>

#include "firmware/context.h"
#include "firmware/kernel_runner.h"
#include "firmware/okk.h"
#include "isa/errors.h"
#include "isa/tensors.h"
#include "models/chip/in_order_machine.h"
#include "models/memory/local_memory.h"
#include "models/memory/system_memory.h"
#include "sim/device/chip_device.h"
#include "sim/planning/machine_plan.h"
#include "sim/planning/operator_groups.h"

namespace okksim::sim::planning {
namespace {

using kernels::DeviceTensor;

// Kernels' control code reads small constants only: zero points, multipliers, tables, shapes.
constexpr std::size_t kReadByKernels = 1 << 20;

/// A machine on which commands are counted and timed and have no effect.
class CountingPort : public isa::CommandPort {
 public:
    explicit CountingPort(const models::MachineParams& params)
        : shape_(params.shape()),
          local_(shape_.lanes, shape_.local_bytes),
          system_(shape_),
          timing_(params) {}

    const isa::MachineShape& machine() const override { return shape_; }
    void submit(const isa::Command& command) override {
        timing_.submit(command);
        const bool is_gdma = command.info().engine == isa::Engine::kGdma;
        const isa::TensorViews views = isa::tensor_views(command, shape_);
        if (is_gdma) {
            ++cost_->gdma_commands;
            cost_->bytes_moved +=
                views[0].element_count() * static_cast<std::uint64_t>(views[0].element_bytes);
        } else {
            ++cost_->bdc_commands;
        }
        for (const isa::TensorView& view : views) {
            if (!view.local) continue;
            cost_->local_bytes =
                std::max(cost_->local_bytes, isa::touched_bytes(view, shape_).high);
        }
    }
    void wait_until_idle() override { timing_.wait_until_idle(); }
    void charge(isa::FirmwareCall call) override {
        timing_.charge(call);
        if (call == isa::FirmwareCall::kParallelStart) ++cost_->parallel_sections;
    }
    void compute(const isa::Computation& computation) override { timing_.compute(computation); }
    void access(const isa::ProcessorAccess& access) override { timing_.access(access); }
    void* local_pointer(isa::LocalAddr addr) override {
        if (addr.value >= static_cast<std::uint64_t>(local_.bytes())) return nullptr;
        return local_.pointer(addr);
    }
    void* system_pointer(std::uint64_t addr) override { return system_.pointer(addr, 1); }

    models::SystemMemory& system_memory() { return system_; }
    void begin(StepCost& cost) {
        cost_ = &cost;
        timing_.begin_launch();
    }
    void end() { cost_->microseconds = timing_.end_launch().microseconds(); }

 private:
    isa::MachineShape shape_;
    models::LocalMemory local_;
    models::SystemMemory system_;
    models::InOrderMachine timing_;
    StepCost nothing_;
    StepCost* cost_ = &nothing_;
};

std::string note_of(StepKind kind) {
    switch (kind) {
        case StepKind::kCondIf: return "one of two blocks runs";
        case StepKind::kWhileLoop: return "blocks run while the condition holds";
        case StepKind::kKernel:
        case StepKind::kReorder:
        case StepKind::kVariableRead:
        case StepKind::kVariableWrite: break;
    }
    return {};
}

/// Values of the enclosing block have no address in a plan; any will do for counting.
DeviceTensor placed(DeviceTensor value, std::uint64_t somewhere) {
    if (value.address == 0) value.address = somewhere;
    return value;
}

class DryRun {
 public:
    DryRun(const graph::Graph& graph, const GraphPlan& plan, const Machine& machine)
        : graph_(graph), plan_(plan), machine_(machine), port_(machine.params) {
        for (const ConstantImage& constant : plan.constants) {
            if (constant.value.data.empty() || constant.value.data.size() > kReadByKernels)
                continue;
            std::byte* target =
                port_.system_memory().pointer(constant.address, constant.value.data.size());
            OKKSIM_CHECK(target != nullptr);
            std::memcpy(target, constant.value.data.data(), constant.value.data.size());
        }
    }

    std::vector<StepCost> run() {
        for (std::size_t r = 0; r < plan_.blocks.size(); ++r) {
            for (std::size_t b = 0; b < plan_.blocks[r].size(); ++b) {
                const graph::Block& block = graph_.regions[r].blocks[b];
                for (const Step& step : plan_.blocks[r][b].steps) {
                    costs_.push_back(cost_of(block, plan_.blocks[r][b], step));
                    costs_.back().place = {static_cast<std::uint32_t>(r),
                                           static_cast<std::uint32_t>(b)};
                }
            }
        }
        return std::move(costs_);
    }

 private:
    StepCost cost_of(const graph::Block& block, const BlockPlan& plan, const Step& step) {
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
        cost.kernel = is_reorder ? "(reorder)" : group_name(op.op, followers);
        if (!last->outputs.empty()) {
            cost.output = block.tensors[last->outputs.front()].name;
            cost.shape = block.tensors[last->outputs.front()].shape;
        }
        cost.origin = origin_of(block, step);
        cost.note = note_of(step.kind);
        if (cost.note.empty()) count(block, plan, step, cost);
        return cost;
    }

    void count(const graph::Block& block, const BlockPlan& plan, const Step& step, StepCost& cost) {
        const graph::Operator& op = block.operators[step.op];
        const bool is_kernel = step.kind == StepKind::kKernel;
        const tosa::OpCode code = is_kernel ? op.op : tosa::OpCode::kIdentity;
        const kernels::OperatorKernel kernel = kernels::find_operator_kernel(code);
        if (kernel == nullptr) {
            cost.note = "no kernel";
            return;
        }
        const auto values = [&](const std::vector<Slot>& slots) {
            std::vector<DeviceTensor> list;
            for (const Slot slot : slots) {
                list.push_back(placed(plan.slots[slot], graph_memory(machine_).start));
            }
            return list;
        };
        std::vector<DeviceTensor> inputs = values(step.inputs);
        std::vector<DeviceTensor> outputs = values(step.outputs);
        if (step.kind == StepKind::kVariableRead) inputs = {variable(op)};
        if (step.kind == StepKind::kVariableWrite) outputs = {variable(op)};
        static const tosa::Attributes none = tosa::NoAttributes{};
        const std::vector<kernels::Follower> followers = bind_followers(block, step, plan.slots);
        launch(kernel,
               {.op = code,
                .attributes = is_kernel ? &op.attributes : &none,
                .inputs = inputs,
                .outputs = outputs,
                .followers = followers},
               cost);
    }

    const DeviceTensor& variable(const graph::Operator& op) const {
        return plan_.variables[op.attributes_as<tosa::VariableAttributes>().variable];
    }

    void launch(kernels::OperatorKernel kernel, const kernels::OperatorCall& call, StepCost& cost) {
        struct Request {
            kernels::OperatorKernel kernel;
            const kernels::OperatorCall& call;
        } const request{kernel, call};
        const auto entry = [](const void* argument) {
            const auto& request = *static_cast<const Request*>(argument);
            okk_initialize();
            request.kernel(request.call);
            okk_poll();
        };
        port_.begin(cost);
        firmware::Context context(port_, context_options(machine_));
        const auto fault =
            firmware::run_kernel(context, entry, &request, firmware::DeliveryMode::kThrow);
        port_.end();
        if (fault) cost.note = "depends on values that exist only at run time";
    }

    const graph::Graph& graph_;
    const GraphPlan& plan_;
    const Machine& machine_;
    CountingPort port_;
    std::vector<StepCost> costs_;
};

}  // namespace

std::vector<StepCost> dry_run(const graph::Graph& graph, const GraphPlan& plan,
                              const Machine& machine) {
    return DryRun(graph, plan, machine).run();
}

}  // namespace okksim::sim::planning
