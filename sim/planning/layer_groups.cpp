// SPDX-License-Identifier: Apache-2.0
#include "sim/planning/layer_groups.h"

#include <algorithm>
#include <set>
#include <utility>

#include "kernels/layers/layer_plan.h"
#include "sim/device/chip_device.h"
#include "sim/graph/element.h"
#include "sim/planning/block_planner.h"
#include "sim/planning/layer_check.h"
#include "sim/planning/machine_plan.h"
#include "sim/planning/value_uses.h"
#include "sim/pricing/machine_host.h"

namespace okksim::sim::planning {
namespace {

using kernels::layers::LayerPlan;

bool is_constant(tosa::OpCode op) {
    return op == tosa::OpCode::kConst || op == tosa::OpCode::kConstShape;
}

/// The layer groups of one block.
class LayerGrouping {
 public:
    LayerGrouping(const graph::Block& block, const BlockPlan& plan, pricing::MachineHost& host,
                  const OperatorTime& time, std::uint64_t somewhere)
        : block_(block), host_(host), time_(time), somewhere_(somewhere), uses_(block) {
        slots_.assign(plan.slots.begin(),
                      plan.slots.begin() + static_cast<long>(block.tensors.size()));
        for (kernels::DeviceTensor& slot : slots_) {
            if (slot.address == 0) slot.address = somewhere_;
        }
    }

    std::vector<LayerGroup> run() {
        std::vector<LayerGroup> groups;
        std::vector<std::uint32_t> chain;
        for (std::uint32_t i = 0; i <= block_.operators.size(); ++i) {
            if (i < block_.operators.size() && is_constant(block_.operators[i].op)) continue;
            if (i < block_.operators.size() && can_join(i)) {
                chain.push_back(i);
                continue;
            }
            cut(chain, groups);
            chain.clear();
        }
        return groups;
    }

 private:
    bool can_join(std::uint32_t index) {
        const graph::Operator& op = block_.operators[index];
        if (op.outputs.size() != 1 || !time_(op)) return false;
        // Values that a run would have to look at: a shift that is not zero.
        if (op.op == tosa::OpCode::kMul && !is_zero(block_.input(op, 2))) return false;
        const BoundLayers bound = bind({&index, 1});
        return kernels::layers::layer_of(bound.operators[0], bound.values, host_.machine())
            .has_value();
    }

    static bool is_zero(const graph::Tensor& tensor) {
        return tensor.has_data && graph::integer_element(tensor.data, tensor.type, 0) == 0;
    }

    BoundLayers bind(std::span<const std::uint32_t> operators) const {
        const LayerGroup group{&block_, {}, {operators.begin(), operators.end()}, {}};
        BoundLayers bound = bind_layers(block_, layer_step(block_, uses_, group), slots_);
        bound.prepared = somewhere_;
        return bound;
    }

    /// The longest group from the front of the chain that fits, and so on.
    void cut(std::span<const std::uint32_t> chain, std::vector<LayerGroup>& groups) {
        while (chain.size() > 1) {
            auto [count, plan] = longest(chain);
            if (count < 2) {
                chain = chain.subspan(1);
                continue;
            }
            const auto own = chain.first(count);
            if (is_faster(own, *plan)) {
                LayerGroup group{
                    &block_, {}, {own.begin(), own.end()}, kernels::DecisionList("layer group")};
                group.decisions.add("layers", *std::move(plan));
                groups.push_back(std::move(group));
            }
            chain = chain.subspan(count);
        }
    }

    std::pair<std::size_t, std::optional<LayerPlan>> longest(std::span<const std::uint32_t> chain) {
        std::optional<LayerPlan> best = plan_of(chain);
        if (best) return {chain.size(), std::move(best)};
        std::size_t fits = 0;
        std::size_t too_long = chain.size();
        while (too_long - fits > 1) {
            const std::size_t middle = (fits + too_long) / 2;
            if (std::optional<LayerPlan> plan = plan_of(chain.first(middle))) {
                best = std::move(plan);
                fits = middle;
            } else {
                too_long = middle;
            }
        }
        return {fits, std::move(best)};
    }

    std::optional<LayerPlan> plan_of(std::span<const std::uint32_t> operators) {
        const BoundLayers bound = bind(operators);
        std::optional<LayerPlan> plan = kernels::layers::plan_layers(bound.call(), host_);
        if (plan) check_layers(bound.call(), *plan, host_.machine());
        return plan;
    }

    bool is_faster(std::span<const std::uint32_t> operators, const LayerPlan& plan) const {
        double apart = 0;
        for (const std::uint32_t index : operators) apart += *time_(block_.operators[index]);
        constexpr double kPicosecondsPerMicrosecond = 1e6;
        return static_cast<double>(plan.time.count()) / kPicosecondsPerMicrosecond < apart;
    }

    const graph::Block& block_;
    pricing::MachineHost& host_;
    const OperatorTime& time_;
    std::uint64_t somewhere_;
    ValueUses uses_;
    std::vector<kernels::DeviceTensor> slots_;
};

}  // namespace

std::vector<LayerGroup> choose_layer_groups(const graph::Graph& graph, const GraphPlan& plan,
                                            const Machine& machine, const OperatorTime& time) {
    const pricing::KnownMemory known;
    pricing::MachineHost host(machine.params, context_options(machine), known);
    std::vector<LayerGroup> groups;
    for (std::size_t r = 0; r < graph.regions.size(); ++r) {
        for (std::size_t b = 0; b < graph.regions[r].blocks.size(); ++b) {
            LayerGrouping grouping(graph.regions[r].blocks[b], plan.blocks[r][b], host, time,
                                   graph_memory(machine).start);
            for (LayerGroup& group : grouping.run()) {
                group.place = {static_cast<std::uint32_t>(r), static_cast<std::uint32_t>(b)};
                groups.push_back(std::move(group));
            }
        }
    }
    return groups;
}

}  // namespace okksim::sim::planning
