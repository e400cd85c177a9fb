// SPDX-License-Identifier: Apache-2.0
#include "sim/planning/block_planner.h"

#include <algorithm>
#include <map>
#include <optional>
#include <set>
#include <span>

#include "kernels/rows/row_program.h"
#include "sim/graph/captures.h"
#include "sim/graph/constant_operator.h"
#include "sim/planning/describe_value.h"
#include "sim/planning/layer_fold.h"
#include "sim/planning/operator_groups.h"
#include "sim/planning/storage_order.h"
#include "sim/planning/value_uses.h"
#include "sim/planning/value_views.h"

namespace okksim::sim::planning {
namespace {

class BlockPlanner {
 public:
    BlockPlanner(const graph::Block& block, const PlanOptions& options)
        : block_(block),
          orders_(choose_orders(block)),
          uses_(block),
          views_(block, uses_, options.strided.count(&block) > 0) {
        for (const LayerGroup& group : options.layers) {
            if (group.block == &block) take_layers(group);
        }
        if (options.fuse) {
            const isa::MachineShape* machine = options.machine ? &*options.machine : nullptr;
            take_groups(choose_groups(block, machine, layered_, options.chained.count(&block) > 0),
                        options);
        }
        for (std::size_t i = 0; i < block.tensors.size(); ++i) {
            plan_.slots.push_back(describe_value(block.tensors[i], orders_[i]));
        }
        turn_products();
        plan_.inputs = block.inputs;
        plan_.outputs = block.outputs;
        plan_.captures = block.captures;
    }

    BlockPlan run() {
        for (std::uint32_t i = 0; i < block_.operators.size(); ++i) {
            if (const auto step = layer_steps_.find(i); step != layer_steps_.end()) {
                for (const graph::TensorIndex value : ordered_[i]) {
                    take_ordered(step->second, static_cast<Slot>(value));
                }
                plan_.steps.push_back(step->second);
            }
            if (followers_.count(i) > 0 || layered_.count(i) > 0) continue;
            if (moved_.count(i) > 0) continue;
            plan_moves(i);
            plan_operator(i, block_.operators[i]);
        }
        return std::move(plan_);
    }

 private:
    void take_layers(const LayerGroup& group) {
        layered_.insert(group.operators.begin(), group.operators.end());
        Step step = layer_step(block_, uses_, group);
        for (const std::uint32_t op : group.operators) {
            plan_.unstored.insert(block_.operators[op].outputs[0]);
        }
        for (const Slot output : step.outputs) plan_.unstored.erase(output);
        layer_steps_[group.operators.front()] = std::move(step);
        ordered_[group.operators.front()] = group.ordered;
    }

    /// Makes a layer group's step read a channel-first copy of the value.
    void take_ordered(Step& step, Slot value) {
        const Slot copy = copy_in_order(step.op, value, StorageOrder::kChannelFirst);
        const auto replace = [&](std::vector<Slot>& inputs) {
            std::replace(inputs.begin(), inputs.end(), value, copy);
        };
        replace(step.inputs);
        for (StepLayer& layer : step.layers) replace(layer.inputs);
    }

    void take_groups(std::vector<OperatorGroup> groups, const PlanOptions& options) {
        for (OperatorGroup& group : groups) {
            if (options.alone.count(&block_.operators[group.first]) > 0) continue;
            if (meets_layers(group)) continue;
            plan_.unstored.insert(block_.operators[group.first].outputs[0]);
            for (const GroupMember& member : group.followers) {
                followers_.insert(member.op);
                plan_.unstored.insert(block_.operators[member.op].outputs[0]);
            }
            plan_.unstored.erase(block_.operators[group.followers.back().op].outputs[0]);
            groups_[group.first] = std::move(group);
        }
    }

    bool meets_layers(const OperatorGroup& group) const {
        return layered_.count(group.first) > 0 ||
               std::any_of(
                   group.followers.begin(), group.followers.end(),
                   [&](const GroupMember& member) { return layered_.count(member.op) > 0; });
    }

    /// Adds the followers of the operator's group to its step. The step then writes the result of
    /// the last one.
    void add_followers(std::uint32_t index, Step& step) const {
        const auto group = groups_.find(index);
        if (group == groups_.end()) return;
        for (const GroupMember& member : group->second.followers) {
            const graph::Operator& op = block_.operators[member.op];
            step.followers.push_back({member.op, member.operands, op.inputs, op.outputs[0]});
        }
        step.outputs[0] = step.followers.back().output;
    }

    /// Plans the RESHAPE and TRANSPOSE after the operator that produce operands of its group.
    void plan_moves(std::uint32_t index) {
        const auto group = groups_.find(index);
        if (group == groups_.end()) return;
        for (const GroupMember& member : group->second.followers) {
            for (const Slot input : block_.operators[member.op].inputs) move_before(index, input);
        }
    }

    void move_before(std::uint32_t index, Slot value) {
        const auto producer = block_.tensors[value].producer;
        if (!producer || *producer < index || !moves_elements(block_.operators[*producer].op)) {
            return;
        }
        move_before(index, block_.operators[*producer].inputs[0]);
        if (moved_.insert(*producer).second) {
            plan_operator(*producer, block_.operators[*producer]);
        }
    }

    void plan_operator(std::uint32_t index, const graph::Operator& op) {
        const std::optional<StepKind> kind = kind_of(op.op);
        if (!kind || (groups_.count(index) == 0 && (make_view(op) || stand_in(op)))) return;
        Step step{.kind = *kind, .op = index, .inputs = op.inputs, .outputs = op.outputs};
        for (Slot& input : step.inputs) input = source_of(input);
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

    /// Makes the result a view, without a copy, if possible. Block inputs and captures cannot be
    /// sources, because their addresses differ between calls. Outputs need separate memory.
    bool make_view(const graph::Operator& op) {
        if (op.inputs.empty()) return false;
        const Slot from = source_of(op.inputs[0]);
        const Slot to = op.outputs[0];
        const graph::Tensor& source = block_.tensors[from];
        if (source.is_block_input || source.is_capture || is_output(from) || is_output(to)) {
            return false;
        }
        const auto strides = views_.view(op, plan_.slots[from], plan_.slots[to]);
        if (!strides) return false;
        lie(to, *strides);
        const auto further = plan_.views.find(from);
        plan_.views[to] = further == plan_.views.end() ? from : further->second;
        return true;
    }

    /// Lets separate kernels read the operand instead of a result that equals it element by
    /// element. The operand may also be a block input.
    bool stand_in(const graph::Operator& op) {
        if (op.inputs.empty() || op.outputs.size() != 1 || is_output(op.outputs[0])) return false;
        const Slot to = op.outputs[0];
        const auto& readers = uses_.readers(to);
        const bool alone = std::all_of(readers.begin(), readers.end(), [&](std::uint32_t reader) {
            return kind_of(block_.operators[reader].op) == StepKind::kKernel &&
                   groups_.count(reader) == 0 && followers_.count(reader) == 0 &&
                   layered_.count(reader) == 0;
        });
        if (!alone || uses_.leaves(to) || !views_.keeps_values(op)) return false;
        const Slot from = source_of(op.inputs[0]);
        if (plan_.slots[from].strides != plan_.slots[to].strides) return false;
        sources_[to] = from;
        plan_.unstored.insert(to);
        return true;
    }

    Slot source_of(Slot slot) const {
        const auto source = sources_.find(slot);
        return source == sources_.end() ? slot : source->second;
    }

    /// Gives a value other strides.
    void lie(Slot slot, const kernels::NdStrides& strides) {
        plan_.slots[slot].strides = strides;
        const auto maps = describe_value(block_.tensors[slot], StorageOrder::kChannelFirst);
        const auto dims = std::span(maps.dims).first(static_cast<std::size_t>(maps.rank));
        const bool is_map =
            !kernels::is_row_major(plan_.slots[slot]) && same_places(dims, strides, maps.strides);
        if (is_map) orders_[slot] = StorageOrder::kChannelFirst;
    }

    /// Stores products that become feature maps with strides that avoid a later copy.
    void turn_products() {
        for (std::uint32_t i = 0; i < block_.operators.size(); ++i) {
            if (followers_.count(i) > 0) continue;
            const std::vector<Slot> values = values_from_product(i);
            if (values.empty()) continue;
            const auto turned =
                describe_value(block_.tensors[values.back()], StorageOrder::kChannelFirst);
            if (!views_.leads_to_maps(values.back(), turned.strides)) continue;
            for (const Slot value : values) {
                const graph::Tensor& tensor = block_.tensors[value];
                lie(value, describe_value(tensor, StorageOrder::kChannelFirst).strides);
            }
        }
    }

    /// Returns the results of an operator and its group, starting with the last product of
    /// matrices.
    std::vector<Slot> values_from_product(std::uint32_t index) const {
        std::vector<std::uint32_t> members{index};
        if (const auto group = groups_.find(index); group != groups_.end()) {
            for (const GroupMember& member : group->second.followers) members.push_back(member.op);
        }
        std::vector<Slot> values;
        for (const std::uint32_t member : members) {
            const graph::Operator& op = block_.operators[member];
            if (kernels::rows::works_along_rows(op.op)) values.clear();
            const bool is_behind = op.op == tosa::OpCode::kMatmul || !values.empty();
            if (is_behind) values.push_back(op.outputs[0]);
        }
        return values;
    }

    bool is_output(Slot slot) const {
        return std::find(block_.outputs.begin(), block_.outputs.end(), slot) !=
               block_.outputs.end();
    }

    /// Returns the kind of step, or no value for operators without work at run time.
    static std::optional<StepKind> kind_of(tosa::OpCode op) {
        if (graph::is_constant(op) || op == tosa::OpCode::kVariable) return std::nullopt;
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

    /// Returns a copy of the value in another order. The copy is made once.
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
    ValueUses uses_;
    ValueViews views_;
    std::map<std::uint32_t, OperatorGroup> groups_;                     ///< by first operator
    std::map<std::uint32_t, Step> layer_steps_;                         ///< by first operator
    std::map<std::uint32_t, std::vector<graph::TensorIndex>> ordered_;  ///< see LayerGroup
    std::set<std::uint32_t> layered_;
    std::set<std::uint32_t> followers_;
    std::set<std::uint32_t> moved_;  ///< run before the group that reads their results
    std::map<Slot, Slot> sources_;   ///< see stand_in(): the value to read instead
    std::map<Slot, Slot> copies_;    ///< in the order that the value lacks
};

bool is_read_outside(const ValueUses& uses, const LayerGroup& group, Slot value) {
    if (uses.leaves(value)) return true;
    const std::vector<std::uint32_t>& readers = uses.readers(value);
    return std::any_of(readers.begin(), readers.end(), [&](std::uint32_t reader) {
        return !std::binary_search(group.operators.begin(), group.operators.end(), reader);
    });
}

}  // namespace

Step layer_step(const graph::Block& block, const ValueUses& uses, const LayerGroup& group) {
    Step step{.kind = StepKind::kLayers, .op = group.operators.front()};
    step.decisions = group.decisions;
    std::set<Slot> known;
    for (const FoldedOperator& layer :
         fold_operators(block, uses, group.operators, group.is_native)) {
        for (const Slot input : layer.inputs) {
            if (known.insert(input).second) step.inputs.push_back(input);
        }
        known.insert(layer.output);
        if (is_read_outside(uses, group, layer.output)) step.outputs.push_back(layer.output);
        step.layers.push_back({layer.operation(), layer.inputs, layer.output, layer.members,
                               layer.is_function, layer.scales_sums, layer.takes_whole_map});
    }
    return step;
}

BlockPlan plan_block(const graph::Block& block, const PlanOptions& options) {
    return BlockPlanner(block, options).run();
}

}  // namespace okksim::sim::planning
