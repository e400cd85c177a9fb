// SPDX-License-Identifier: Apache-2.0
#include "sim/bound/graph_need.h"

#include <algorithm>
#include <map>
#include <optional>
#include <set>
#include <utility>

#include "sim/bound/operator_need.h"
#include "sim/bound/order_need.h"
#include "sim/bound/own_work.h"
#include "sim/graph/constant_operator.h"

namespace okksim::sim::bound {
namespace {

using graph::TensorIndex;
using models::Picoseconds;

class ScopeNeeds {
 public:
    ScopeNeeds(const BoundScope& scope, pricing::MachineHost& host)
        : scope_(scope), block_(scope.block), needs_(host), times_(host.params()) {
        want_parts();
        orders_.emplace(scope_, parts_, host);
        for (const std::uint32_t op : scope_.operators) {
            for (const TensorIndex value : block_.operators[op].outputs) makers_[value] = op;
        }
    }

    std::vector<std::vector<NeedElement>> run() {
        const std::size_t turns = orders_->turns().size();
        const std::size_t choices = turns + orders_->operators().size();
        has_ways_ = choices <= kMostChoices && scope_.operators.size() <= OrderNeeds::kMostPlanned;
        std::vector<std::vector<NeedElement>> ways;
        for (std::uint32_t chosen = 0; chosen < (has_ways_ ? 1u << choices : 1u); ++chosen) {
            steps_ = chosen & ((1u << turns) - 1);
            by_channel_ = chosen >> turns;
            ways.push_back(way());
        }
        return ways;
    }

 private:
    /// Up to this number of values and element-wise operators with a choice of order, all
    /// combinations are bounded. Above it, and in larger graphs, each one contributes its own
    /// minimum.
    static constexpr std::size_t kMostChoices = 7;

    std::vector<NeedElement> way() {
        varies_.clear();
        stored_.clear();
        loads_.clear();
        after_.clear();
        weight_bytes_ = 0;
        weights_ = false;
        elements_.clear();
        for (const std::uint32_t op : scope_.operators) add_operator(op);
        for (const TensorIndex value : scope_.wanted) add_store(value);
        add_others();
        return std::move(elements_);
    }

    /// Adds the cost of the reorder to the value's own load or store, or to `step` as a separate
    /// step.
    void add_turn(TensorIndex value, bool is_given, NeedElement& own, NeedElement& step) {
        const std::vector<Turn>& turns = orders_->turns();
        for (std::size_t i = 0; i < turns.size(); ++i) {
            if (turns[i].value != value || turns[i].is_given != is_given) continue;
            if (!has_ways_) {
                own.traffic.more += turns[i].least();
            } else if ((steps_ >> i & 1) == 0) {
                own.traffic.more += turns[i].by_pieces;
                own.instructions = transfer_instructions();
                own.is_of_layers = true;
            } else {
                constexpr std::int64_t kCommands = 2;
                step.traffic.more += turns[i].by_step;
                step.traffic.others += kCommands;
                step.is_whole = true;
                step.is_step = true;
                step.instructions = reorder_instructions();
            }
        }
    }

    const graph::Operator& operator_at(std::uint32_t op) const { return block_.operators[op]; }

    /// Determines the part of each value that the wanted values and their operators read.
    void want_parts() {
        for (const TensorIndex value : scope_.wanted) parts_[value].all = true;
        for (auto index = scope_.operators.rbegin(); index != scope_.operators.rend(); ++index) {
            const graph::Operator& op = operator_at(*index);
            const NeededPart wanted = wanted_of(op);
            if (!wanted.any()) continue;
            for (std::size_t i = 0; i < op.inputs.size(); ++i) {
                parts_[op.inputs[i]].widen(read_part(block_, op, i, wanted));
            }
        }
    }
    NeededPart part_of(TensorIndex value) const {
        const auto known = parts_.find(value);
        return known == parts_.end() ? NeededPart{} : known->second;
    }
    NeededPart wanted_of(const graph::Operator& op) const {
        if (op.outputs.size() != 1) return {};
        NeededPart part = part_of(op.outputs[0]);
        if (part.all || !part.any()) return part;
        // Tiles cut images and rows only, so all columns are computed.
        const graph::TensorShape& shape = block_.tensors[op.outputs[0]].shape;
        part.columns = shape[2];
        part.all = part.rows == shape[1];
        return part;
    }

    void add_operator(std::uint32_t index) {
        const graph::Operator& op = operator_at(index);
        if (graph::is_constant(op) || op.outputs.empty()) return;
        std::vector<std::size_t> before;
        bool varies = false;  // depends on the inputs of the run
        for (const TensorIndex value : op.inputs) {
            const graph::Tensor& tensor = block_.tensors[value];
            const bool made_here = makers_.contains(value);
            varies |= made_here ? varies_.contains(value) : !tensor.has_data;
            const auto known = after_.find(value);
            if (known == after_.end()) continue;
            before.insert(before.end(), known->second.begin(), known->second.end());
        }
        if (!varies) return;
        varies_.insert(op.outputs.begin(), op.outputs.end());
        // A result without a known needed part may only have readers that compute nothing.
        const NeededPart wanted = wanted_of(op);
        if (!wanted.any()) return;
        const ComputeNeed need = needs_.of(block_, op, wanted);
        if (need.commands == 0) {
            after_[op.outputs[0]] = std::move(before);
            return;
        }
        add_loads(op, wanted, before);
        const std::int64_t pieces =
            times_.pieces(part_bytes(block_.tensors[op.outputs[0]], wanted));
        NeedElement element;
        element.compute = need;
        element.compute.commands *= pieces;
        element.before = std::move(before);
        element.can_be_whole = pieces == 1;
        set_issue(index, element);
        after_[op.outputs[0]] = {add(std::move(element))};
    }

    /// Sets the instructions that the operator costs the firmware at least.
    void set_issue(std::uint32_t index, NeedElement& element) {
        const graph::Operator& op = operator_at(index);
        const bool by_element = is_by_element(block_, op);
        element.joins_step = true;
        if (by_element && is_row_major(index)) {
            // Layer groups only take feature maps that are channel first.
            element.joins_step = false;
            element.is_step = std::ranges::none_of(op.inputs, [&](TensorIndex value) {
                const auto maker = makers_.find(value);
                return maker != makers_.end() && !is_in_other_order(maker->second);
            });
            element.instructions = element.is_step ? kernel_instructions(block_, op)
                                                   : follower_instructions(block_, op);
        } else if (by_element || is_fp32_by_channel(op)) {
            element.instructions = map_instructions(block_, op, by_element);
        }
    }
    bool is_fp32_by_channel(const graph::Operator& op) const {
        return is_by_channel(block_, op) && block_.output(op, 0).type == tosa::DType::kFp32 &&
               block_.input(op, 0).type == tosa::DType::kFp32;
    }
    /// True for element-wise operators that work on row-major feature maps in this combination.
    bool is_row_major(std::uint32_t index) const {
        const auto& operators = orders_->operators();
        const auto known = std::ranges::find(operators, index);
        if (!has_ways_ || known == operators.end()) return false;
        return (by_channel_ >> (known - operators.begin()) & 1) == 0;
    }
    /// True if no operator on row-major feature maps can share the operator's kernel.
    bool is_in_other_order(std::uint32_t index) const {
        const graph::Operator& op = operator_at(index);
        if (is_by_channel(block_, op)) return true;
        return is_by_element(block_, op) && !is_row_major(index);
    }

    /// Adds the operator's loads from global memory: inputs of the scope, and weights.
    void add_loads(const graph::Operator& op, const NeededPart& wanted,
                   std::vector<std::size_t>& before) {
        for (std::size_t i = 0; i < op.inputs.size(); ++i) {
            const TensorIndex value = op.inputs[i];
            const graph::Tensor& tensor = block_.tensors[value];
            if (makers_.contains(value) || tensor.has_data) continue;
            const NeededPart own = read_part(block_, op, i, wanted);
            if (!own.any()) continue;
            const std::size_t element = load(value, part_bytes(tensor, part_of(value)));
            // The operator may start before the rest of the value is loaded for other readers.
            if (own == part_of(value)) before.push_back(element);
        }
        const std::uint64_t bytes = weight_bytes(block_, op);
        if (bytes == 0) return;
        if (!loads_.contains(op.inputs[1])) weight_bytes_ += bytes;
        before.push_back(load(op.inputs[1], bytes));
    }

    /// Returns the element that loads the value. All readers share it.
    std::size_t load(TensorIndex value, std::uint64_t bytes) {
        const auto [known, is_new] = loads_.try_emplace(value, 0);
        if (!is_new) return known->second;
        // One command may load all weights, because they may be adjacent in memory.
        const bool has_command = !block_.tensors[value].has_data || !std::exchange(weights_, true);
        NeedElement own, step;
        own.traffic.read = bytes;
        own.traffic.loads = has_command ? times_.pieces(bytes) : 0;
        if (!block_.tensors[value].has_data) {
            if (part_of(value).all) own.traffic.more = times_.rows(own.traffic);
            add_turn(value, true, own, step);
        }
        own.can_be_whole = own.traffic.loads == 1;
        if (step.is_whole) own.before.push_back(add(std::move(step)));
        return loads_[value] = add(std::move(own));
    }

    /// Adds the store of a value. Views of the same bytes are stored once.
    void add_store(TensorIndex value) {
        std::optional<TensorIndex> root = value;
        while (root) {
            const auto maker = makers_.find(*root);
            if (maker == makers_.end()) return;
            const graph::Operator& op = operator_at(maker->second);
            if (!is_view(op.op)) break;
            root = op.inputs[0];
        }
        const auto known = after_.find(*root);
        if (known == after_.end() || known->second.empty() || !stored_.insert(*root).second) return;
        const std::uint64_t bytes = value_bytes(block_.tensors[*root]);
        NeedElement own, step;
        own.traffic = {.written = bytes, .stores = times_.pieces(bytes)};
        own.traffic.more = times_.rows(own.traffic);
        own.before = known->second;
        own.can_be_whole = own.traffic.stores == 1;
        if (value == *root) add_turn(value, false, own, step);
        const std::size_t store = add(std::move(own));
        if (!step.is_whole) return;
        step.before = {store};
        add(std::move(step));
    }

    /// Adds reorders that no element waits for, and opening the weights' rows of DRAM.
    void add_others() {
        NeedElement element;
        element.can_be_whole = false;
        const Picoseconds orders =
            has_ways_ ? orders_->of_others(by_channel_) : orders_->of_others();
        element.traffic.more = orders + times_.rows({.read = weight_bytes_, .loads = 1});
        if (element.traffic.more.value > 0) add(std::move(element));
    }

    static bool is_view(tosa::OpCode op) {
        return op == tosa::OpCode::kReshape || op == tosa::OpCode::kTranspose ||
               op == tosa::OpCode::kIdentity || op == tosa::OpCode::kClamp;
    }

    std::size_t add(NeedElement element) {
        elements_.push_back(std::move(element));
        return elements_.size() - 1;
    }
    const BoundScope& scope_;
    const graph::Block& block_;
    OperatorNeeds needs_;
    EngineTimes times_;
    std::map<TensorIndex, std::uint32_t> makers_;  ///< operators of the scope, by value
    std::map<TensorIndex, NeededPart> parts_;      ///< needed part by value
    std::optional<OrderNeeds> orders_;
    bool has_ways_ = false;
    std::uint32_t by_channel_ = 0;  ///< bit i: the order of OrderNeeds::operators()[i]
    std::uint32_t steps_ = 0;       ///< bit i: reorder i is a separate step
    std::set<TensorIndex> varies_, stored_;
    std::map<TensorIndex, std::size_t> loads_;
    std::map<TensorIndex, std::vector<std::size_t>> after_;  ///< elements that a value waits for
    std::uint64_t weight_bytes_ = 0;
    bool weights_ = false;  ///< the load command of the weights is counted
    std::vector<NeedElement> elements_;
};

}  // namespace

BoundScope scope_of(const graph::Graph& graph) {
    const graph::Block& block = graph.main();
    BoundScope scope{block, {}, {block.outputs.begin(), block.outputs.end()}, true};
    for (std::uint32_t i = 0; i < block.operators.size(); ++i) scope.operators.push_back(i);
    return scope;
}

BoundScope scope_of(const graph::Block& block, const planning::Step& step) {
    BoundScope scope{block, {}, {}, false};
    using planning::StepKind;
    if (step.kind == StepKind::kKernel) {
        scope.operators.push_back(step.op);
        for (const planning::StepFollower& follower : step.followers) {
            scope.operators.push_back(follower.op);
        }
    } else if (step.kind == StepKind::kLayers) {
        for (const planning::StepLayer& layer : step.layers) {
            scope.operators.insert(scope.operators.end(), layer.members.begin(),
                                   layer.members.end());
        }
    }
    std::sort(scope.operators.begin(), scope.operators.end());
    if (scope.operators.empty()) return scope;
    // Slots after the block's tensors hold reordered copies.
    for (const planning::Slot slot : step.outputs) {
        if (slot < block.tensors.size()) scope.wanted.push_back(slot);
    }
    return scope;
}

std::vector<std::vector<NeedElement>> ways_of(const BoundScope& scope, pricing::MachineHost& host) {
    return ScopeNeeds(scope, host).run();
}

}  // namespace okksim::sim::bound
