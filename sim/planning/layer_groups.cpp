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
using kernels::layers::SliceCounts;

/// Chains of at most so many operators are also tried in slices where whole maps fit: transfers of
/// one slice overlap with the work of the next, and windows of few layers add few rows to slices.
constexpr std::size_t kFewOperators = 32;

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

    /// A group from the front of a chain: how long it is, its plan, and what it saves.
    struct Candidate {
        std::size_t count = 0;
        std::optional<LayerPlan> plan;
        double saved = 0;  ///< us; negative: it takes longer than its operators apart
    };

    /// The group from the front of the chain that saves most, and so on.
    void cut(std::span<const std::uint32_t> chain, std::vector<LayerGroup>& groups) {
        while (chain.size() > 1) {
            Candidate best = longest(chain);
            if (best.count < chain.size() || chain.size() <= kFewOperators) {
                Candidate sliced = sliced_group(chain);
                if (sliced.plan && (best.count < 2 || sliced.saved > best.saved)) {
                    best = std::move(sliced);
                }
            }
            if (best.count < 2) {
                chain = chain.subspan(1);
                continue;
            }
            const auto own = chain.first(best.count);
            if (best.saved > 0) {
                LayerGroup group{
                    &block_, {}, {own.begin(), own.end()}, kernels::DecisionList("layer group")};
                group.decisions.add("layers", *std::move(best.plan));
                groups.push_back(std::move(group));
            }
            chain = chain.subspan(best.count);
        }
    }

    /// The longest one whose whole maps fit.
    Candidate longest(std::span<const std::uint32_t> chain) {
        if (std::optional<LayerPlan> all = plan_of(chain)) return candidate(chain, std::move(all));
        Candidate best;
        std::size_t too_long = chain.size();
        while (too_long - best.count > 1) {
            const std::size_t middle = (best.count + too_long) / 2;
            if (std::optional<LayerPlan> plan = plan_of(chain.first(middle))) {
                best = candidate(chain.first(middle), std::move(plan));
            } else {
                too_long = middle;
            }
        }
        return best;
    }

    Candidate candidate(std::span<const std::uint32_t> operators, std::optional<LayerPlan> plan) {
        const double saved = microseconds_apart(operators) - microseconds(*plan);
        return {operators.size(), std::move(plan), saved};
    }

    /// The group in slices that saves most, of lengths that grow by a half each time.
    Candidate sliced_group(std::span<const std::uint32_t> chain) {
        Candidate best;
        for (std::size_t count = whole_kernels(chain, 2);;) {
            const std::span<const std::uint32_t> own = chain.first(count);
            if (std::optional<LayerPlan> plan = sliced_plan(own)) {
                Candidate next = candidate(own, std::move(plan));
                if (!best.plan || next.saved > best.saved) best = std::move(next);
            }
            if (count == chain.size()) break;
            count = whole_kernels(chain, count + std::max<std::size_t>(1, count / 2));
        }
        return best;
    }

    /// At least `count` operators of a chain, or all of it; not a part of what one kernel does
    /// otherwise, whose time stands at its first operator.
    std::size_t whole_kernels(std::span<const std::uint32_t> chain, std::size_t count) const {
        while (count < chain.size() && *time_(block_.operators[chain[count]]) == 0) ++count;
        return std::min(count, chain.size());
    }

    /// In the fewest slices that fit, or in twice as many where that is faster.
    std::optional<LayerPlan> sliced_plan(std::span<const std::uint32_t> operators) {
        std::optional<LayerPlan> best;
        const kernels::DeviceTensor& result = slots_[block_.operators[operators.back()].outputs[0]];
        for (SliceCounts slices; more_slices(slices, result.dims[0], result.dims[1]);) {
            std::optional<LayerPlan> plan = plan_of(operators, slices);
            if (best && (!plan || plan->time >= best->time)) return best;
            if (best) return plan;
            best = std::move(plan);
        }
        return best;
    }

    /// Twice as many: of images first. False when there are no more.
    static bool more_slices(SliceCounts& slices, std::int32_t images, std::int32_t rows) {
        if (slices.images < images) {
            slices.images = std::min(2 * slices.images, images);
            return true;
        }
        slices.rows *= 2;
        return slices.rows <= rows;
    }

    std::optional<LayerPlan> plan_of(std::span<const std::uint32_t> operators,
                                     const SliceCounts& slices = {}) {
        const BoundLayers bound = bind(operators);
        std::optional<LayerPlan> plan = kernels::layers::plan_layers(bound.call(), slices, host_);
        if (plan) check_layers(bound.call(), *plan, host_.machine());
        return plan;
    }

    double microseconds_apart(std::span<const std::uint32_t> operators) const {
        double apart = 0;
        for (const std::uint32_t index : operators) apart += *time_(block_.operators[index]);
        return apart;
    }
    static double microseconds(const LayerPlan& plan) {
        constexpr double kPicosecondsPerMicrosecond = 1e6;
        return static_cast<double>(plan.time.count()) / kPicosecondsPerMicrosecond;
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
