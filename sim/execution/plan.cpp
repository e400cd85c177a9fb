// SPDX-License-Identifier: Apache-2.0
#include "sim/execution/plan.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <optional>
#include <set>

#include "isa/errors.h"
#include "isa/fault.h"
#include "kernels/prepared_constants.h"
#include "sim/execution/describe_value.h"
#include "sim/execution/fusion.h"
#include "sim/execution/memory_plan.h"
#include "sim/execution/storage_order.h"
#include "sim/graph/captures.h"
#include "sim/graph/element.h"

namespace okksim::sim::execution {
namespace {

using kernels::DeviceTensor;

/// The largest magnitude among the values of a bias, or of a constant that could be one.
std::optional<std::int64_t> largest_value(const graph::Tensor& tensor) {
    const bool accumulates = tensor.type == tosa::DType::kI32 || tensor.type == tosa::DType::kI48;
    if (!accumulates || tensor.shape.size() != 1) return std::nullopt;
    std::int64_t largest = 0;
    for (std::int64_t i = 0; i < tensor.shape[0]; ++i) {
        const std::int64_t value =
            graph::integer_element(tensor.data, tensor.type, static_cast<std::size_t>(i));
        largest = std::max(largest, value < 0 ? -value : value);
    }
    return largest;
}

std::uint64_t value_bytes(const DeviceTensor& value) {
    return static_cast<std::uint64_t>(value.count()) *
           static_cast<std::uint64_t>(kernels::stored_bytes(value.type));
}

/// Plans one block: slots and steps, without addresses.
class BlockPlanner {
 public:
    BlockPlanner(const graph::Block& block, const PlanOptions& options)
        : block_(block), orders_(choose_orders(block)) {
        if (options.fuse) take_groups(choose_groups(block), options);
        for (std::size_t i = 0; i < block.tensors.size(); ++i) {
            plan_.slots.push_back(describe_value(block.tensors[i], orders_[i]));
        }
        plan_.inputs = block.inputs;
        plan_.outputs = block.outputs;
        plan_.captures = block.captures;
    }

    BlockPlan run() {
        for (std::uint32_t i = 0; i < block_.operators.size(); ++i) {
            if (followers_.count(i) == 0) plan_operator(i, block_.operators[i]);
        }
        return std::move(plan_);
    }

 private:
    void take_groups(std::vector<OperatorGroup> groups, const PlanOptions& options) {
        for (OperatorGroup& group : groups) {
            if (options.alone.count(&block_.operators[group.first]) > 0) continue;
            plan_.unstored.insert(block_.operators[group.first].outputs[0]);
            for (const GroupMember& member : group.followers) {
                followers_.insert(member.op);
                plan_.unstored.insert(block_.operators[member.op].outputs[0]);
            }
            plan_.unstored.erase(block_.operators[group.followers.back().op].outputs[0]);
            groups_[group.first] = std::move(group);
        }
    }

    /// Adds the followers of the operator's group to its step, which then writes the last one's
    /// result.
    void add_followers(std::uint32_t index, Step& step) const {
        const auto group = groups_.find(index);
        if (group == groups_.end()) return;
        for (const GroupMember& member : group->second.followers) {
            const graph::Operator& op = block_.operators[member.op];
            step.followers.push_back({member.op, member.operands, op.inputs, op.outputs[0]});
        }
        step.outputs[0] = step.followers.back().output;
    }

    void plan_operator(std::uint32_t index, const graph::Operator& op) {
        const std::optional<StepKind> kind = kind_of(op.op);
        if (!kind || make_view(op)) return;
        Step step{.kind = *kind, .op = index, .inputs = op.inputs, .outputs = op.outputs};
        bind_control_flow(op, step);
        add_followers(index, step);
        const OrderRule rule = order_rule(op.op);
        for (int i = 0; i < rule.feature_inputs; ++i) {
            Slot& input = step.inputs[static_cast<std::size_t>(i)];
            input = copy_in_order(index, input, StorageOrder::kChannelFirst);
        }
        for (Slot& input : step.inputs) {
            if (!rule.row_major_inputs) break;
            input = copy_in_order(index, input, StorageOrder::kRowMajor);
        }
        const bool reorder_output =
            rule.feature_inputs > 0 && orders_[step.outputs[0]] == StorageOrder::kRowMajor;
        const Slot result = step.outputs.empty() ? 0 : step.outputs[0];
        if (reorder_output) step.outputs[0] = add_slot(result, StorageOrder::kChannelFirst);
        plan_.steps.push_back(step);
        if (reorder_output) {
            plan_.steps.push_back(reorder(index, step.outputs[0], result));
        }
    }

    /// CLAMP of integers at the limits of their type, as rectifiers become where the zero point is
    /// the least value.
    bool clamps_nothing(const graph::Operator& op) const {
        if (op.op != tosa::OpCode::kClamp) return false;
        const tosa::DType type = block_.tensors[op.inputs[0]].type;
        if (!tosa::is_integer(type)) return false;
        const auto& attributes = op.attributes_as<tosa::ClampAttributes>();
        const auto value = [&](const tosa::ElementBytes& element) {
            return graph::integer_element(std::as_bytes(std::span(element.bytes)), type, 0);
        };
        const std::int64_t limit = std::int64_t{1} << (tosa::storage_bits(type) - 1);
        return value(attributes.min_val) == -limit && value(attributes.max_val) == limit - 1;
    }

    /// RESHAPE and IDENTITY of a value whose bytes stay where they are need no copy. Inputs of the
    /// block and captures may lie elsewhere from call to call; outputs have places of their own.
    bool make_view(const graph::Operator& op) {
        const bool keeps_values = op.op == tosa::OpCode::kIdentity || clamps_nothing(op);
        if (op.op != tosa::OpCode::kReshape && !keeps_values) return false;
        const Slot from = op.inputs[0];
        const Slot to = op.outputs[0];
        const graph::Tensor& source = block_.tensors[from];
        if (source.is_block_input || source.is_capture || is_output(from) || is_output(to)) {
            return false;
        }
        const bool same_bytes = keeps_values ? plan_.slots[from].strides == plan_.slots[to].strides
                                             : kernels::is_row_major(plan_.slots[from]) &&
                                                   kernels::is_row_major(plan_.slots[to]);
        if (!same_bytes) return false;
        const auto further = plan_.views.find(from);
        plan_.views[to] = further == plan_.views.end() ? from : further->second;
        return true;
    }

    bool is_output(Slot slot) const {
        return std::find(block_.outputs.begin(), block_.outputs.end(), slot) !=
               block_.outputs.end();
    }

    /// The kind of step, or nothing for operators that need none at run time.
    static std::optional<StepKind> kind_of(tosa::OpCode op) {
        if (op == tosa::OpCode::kConst || op == tosa::OpCode::kConstShape ||
            op == tosa::OpCode::kVariable) {
            return std::nullopt;
        }
        if (op == tosa::OpCode::kCondIf) return StepKind::kCondIf;
        if (op == tosa::OpCode::kWhileLoop) return StepKind::kWhileLoop;
        if (op == tosa::OpCode::kVariableRead) return StepKind::kVariableRead;
        if (op == tosa::OpCode::kVariableWrite) return StepKind::kVariableWrite;
        return StepKind::kKernel;
    }

    /// Values that sub-graphs use by name count as inputs, so that they live long enough.
    static void bind_control_flow(const graph::Operator& op, Step& step) {
        for (const tosa::SubGraph* sub_graph : graph::sub_graphs(op)) {
            step.inputs.insert(step.inputs.end(), sub_graph->captures.begin(),
                               sub_graph->captures.end());
        }
    }

    static Step reorder(std::uint32_t op, Slot from, Slot to) {
        return {.kind = StepKind::kReorder, .op = op, .inputs = {from}, .outputs = {to}};
    }

    Slot add_slot(Slot original, StorageOrder order) {
        plan_.slots.push_back(describe_value(block_.tensors[original], order));
        return static_cast<Slot>(plan_.slots.size() - 1);
    }

    /// A copy of the value in another order, made once.
    Slot copy_in_order(std::uint32_t op, Slot slot, StorageOrder order) {
        if (orders_[slot] == order) return slot;
        const auto found = copies_.find(slot);
        if (found != copies_.end()) return found->second;
        const Slot copy = add_slot(slot, order);
        plan_.steps.push_back(reorder(op, slot, copy));
        copies_[slot] = copy;
        return copy;
    }

    const graph::Block& block_;
    std::vector<StorageOrder> orders_;
    BlockPlan plan_;
    std::map<std::uint32_t, OperatorGroup> groups_;  ///< by first operator
    std::set<std::uint32_t> followers_;
    std::map<Slot, Slot> copies_;  ///< in the order that the value itself does not have
};

/// Hands out addresses and counts.
class MemoryPlanner {
 public:
    MemoryPlanner(const MemoryRange& memory) : memory_(memory) {}

    std::uint64_t take(std::uint64_t bytes) {
        const std::uint64_t address = memory_.start + used_;
        used_ += (bytes + kValueAlignment - 1) / kValueAlignment * kValueAlignment;
        return address;
    }
    void check() const {
        if (used_ <= memory_.bytes) return;
        throw ProgramFault(
            {.code = FaultCode::kOutOfMemory,
             .function = "graph",
             .argument = "global memory",
             .value = fmt::format("{} bytes", used_),
             .rule = fmt::format("the machine has {} bytes for graphs", memory_.bytes),
             .advice = "raise global.bytes in the machine file or use a smaller "
                       "batch",
             .unit = "graph",
             .call_stack = {}});
    }

 private:
    MemoryRange memory_;
    std::uint64_t used_ = 0;
};

/// The slot whose memory a slot uses.
Slot owner_of(const BlockPlan& plan, Slot slot) {
    const auto view = plan.views.find(slot);
    return view == plan.views.end() ? slot : view->second;
}

/// Lifetimes of the slots that share working memory; block inputs and outputs live throughout.
std::vector<Lifetime> lifetimes_of(const BlockPlan& plan, const std::vector<Slot>& slots) {
    const auto end = static_cast<std::uint32_t>(plan.steps.size());
    std::vector<Lifetime> all(plan.slots.size());
    std::vector<bool> defined(plan.slots.size(), false);
    for (std::uint32_t i = 0; i < plan.steps.size(); ++i) {
        for (const Slot slot : plan.steps[i].outputs) {
            if (!defined[slot]) all[slot].first = i;
            defined[slot] = true;
            all[slot].last = std::max(all[slot].last, i);
        }
        for (const Slot slot : plan.steps[i].inputs) all[owner_of(plan, slot)].last = i;
    }
    for (const auto& list : {plan.inputs, plan.outputs}) {
        for (const Slot slot : list) all[slot] = {0, 0, end};
    }
    std::vector<Lifetime> lifetimes;
    for (const Slot slot : slots) {
        all[slot].bytes = value_bytes(plan.slots[slot]);
        lifetimes.push_back(all[slot]);
    }
    return lifetimes;
}

class GraphPlanner {
 public:
    GraphPlanner(const graph::Graph& graph, const MemoryRange& memory, const PlanOptions& options)
        : graph_(graph), memory_(memory), options_(options) {}

    GraphPlan run() {
        place_variables();
        for (const graph::Region& region : graph_.regions) {
            plan_.blocks.emplace_back();
            for (const graph::Block& block : region.blocks) {
                plan_.blocks.back().push_back(BlockPlanner(block, options_).run());
                place_constants(block, plan_.blocks.back().back());
                place_prepared(block, plan_.blocks.back().back());
                place_values(block, plan_.blocks.back().back());
                place_views(plan_.blocks.back().back());
            }
        }
        memory_.check();
        return std::move(plan_);
    }

 private:
    void place_variables() {
        for (const graph::Variable& variable : graph_.variables) {
            graph::Tensor tensor;
            tensor.type = variable.type;
            tensor.shape = variable.shape;
            DeviceTensor value = describe_value(tensor, StorageOrder::kRowMajor);
            value.address = memory_.take(value_bytes(value));
            plan_.variable_bytes += value_bytes(value);
            plan_.variables.push_back(value);
        }
    }

    void place_constants(const graph::Block& block, BlockPlan& plan) {
        for (std::size_t i = 0; i < block.tensors.size(); ++i) {
            const graph::Tensor& tensor = block.tensors[i];
            if (!tensor.has_data || tensor.variable) continue;
            // The same bytes in another block (a constant seen from a sub-graph) are placed once.
            const auto [place, is_new] = constants_.try_emplace(tensor.data.data(), 0);
            if (is_new || tensor.data.empty()) {
                place->second = memory_.take(value_bytes(plan.slots[i]));
                plan_.constants.push_back(
                    {place->second, graph::constant_value(tensor.type, tensor.shape, tensor.data)});
                plan_.constant_bytes += value_bytes(plan.slots[i]);
            }
            plan.slots[i].address = place->second;
            plan.slots[i].constant = true;
            plan.slots[i].largest = largest_value(tensor);
        }
    }

    void place_prepared(const graph::Block& block, BlockPlan& plan) {
        for (Step& step : plan.steps) {
            if (step.kind != StepKind::kKernel) continue;
            const graph::Operator& op = block.operators[step.op];
            std::vector<DeviceTensor> inputs;
            for (const Slot slot : step.inputs) inputs.push_back(plan.slots[slot]);
            const std::uint64_t bytes =
                kernels::prepared_bytes({op.op, &op.attributes, inputs, {}, 0});
            if (bytes == 0) continue;
            step.prepared = memory_.take(bytes);
            plan_.prepared_bytes += bytes;
        }
    }

    void place_values(const graph::Block& block, BlockPlan& plan) {
        std::vector<Slot> slots;
        for (Slot slot = 0; slot < plan.slots.size(); ++slot) {
            if (slot < block.tensors.size()) {
                const graph::Tensor& tensor = block.tensors[slot];
                if (tensor.has_data || tensor.is_capture || tensor.variable) continue;
                if (plan.views.count(slot) > 0 || plan.unstored.count(slot) > 0) continue;
            }
            slots.push_back(slot);
        }
        const MemoryPlan places = plan_memory(lifetimes_of(plan, slots));
        const std::uint64_t base = memory_.take(places.bytes);
        plan_.working_bytes += places.bytes;
        for (std::size_t i = 0; i < slots.size(); ++i) {
            plan.slots[slots[i]].address = base + places.offsets[i];
        }
    }

    static void place_views(BlockPlan& plan) {
        for (const auto& [view, owner] : plan.views) {
            plan.slots[view].address = plan.slots[owner].address;
            plan.slots[view].constant = plan.slots[owner].constant;
            plan.slots[view].largest = plan.slots[owner].largest;
        }
    }

    const graph::Graph& graph_;
    MemoryPlanner memory_;
    PlanOptions options_;
    GraphPlan plan_;
    std::map<const std::byte*, std::uint64_t> constants_;
};

}  // namespace

std::vector<kernels::Follower> bind_followers(const graph::Block& block, const Step& step,
                                              std::span<const DeviceTensor> slots) {
    std::vector<kernels::Follower> followers;
    for (const StepFollower& follower : step.followers) {
        const graph::Operator& op = block.operators[follower.op];
        std::vector<DeviceTensor> inputs;
        for (const Slot slot : follower.inputs) inputs.push_back(slots[slot]);
        followers.push_back(
            {op.op, &op.attributes, follower.operands, std::move(inputs), slots[follower.output]});
    }
    return followers;
}

GraphPlan plan_graph(const graph::Graph& graph, const MemoryRange& memory,
                     const PlanOptions& options) {
    return GraphPlanner(graph, memory, options).run();
}

}  // namespace okksim::sim::execution
