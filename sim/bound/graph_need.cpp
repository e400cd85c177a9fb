// SPDX-License-Identifier: Apache-2.0
#include "sim/bound/graph_need.h"

#include <algorithm>
#include <map>
#include <optional>
#include <set>
#include <utility>

#include "sim/bound/operator_need.h"
#include "sim/graph/constant_operator.h"

namespace okksim::sim::bound {
namespace {

using graph::TensorIndex;

class ScopeNeeds {
 public:
    ScopeNeeds(const BoundScope& scope, pricing::MachineHost& host)
        : scope_(scope), block_(scope.block), needs_(host), times_(host.params()) {}

    std::vector<NeedElement> run() {
        for (const std::uint32_t op : scope_.operators) {
            for (const TensorIndex value : block_.operators[op].outputs) makers_[value] = op;
        }
        want_wholes();
        for (const std::uint32_t op : scope_.operators) add_operator(op);
        for (const TensorIndex value : scope_.wanted) add_store(value);
        return std::move(elements_);
    }

 private:
    const graph::Operator& operator_at(std::uint32_t op) const { return block_.operators[op]; }

    /// Values all of whose elements are needed: those that are wanted, and what operators that are
    /// needed as a whole read as a whole.
    void want_wholes() {
        whole_.insert(scope_.wanted.begin(), scope_.wanted.end());
        for (auto op = scope_.operators.rbegin(); op != scope_.operators.rend(); ++op) {
            if (!is_needed(*op)) continue;
            const graph::Operator& own = operator_at(*op);
            for (std::size_t i = 0; i < own.inputs.size(); ++i) {
                if (reads_whole(block_, own, i)) whole_.insert(own.inputs[i]);
            }
        }
    }
    bool is_needed(std::uint32_t op) const {
        const auto& outputs = operator_at(op).outputs;
        return outputs.size() == 1 && whole_.contains(outputs[0]);
    }

    void add_operator(std::uint32_t index) {
        const graph::Operator& op = operator_at(index);
        if (!is_needed(index) || graph::is_constant(op)) return;
        std::vector<std::size_t> before;
        bool varies = false;  // with what the run is given
        for (const TensorIndex value : op.inputs) {
            const graph::Tensor& tensor = block_.tensors[value];
            const bool made_here = makers_.contains(value);
            varies |= made_here ? varies_.contains(value) : !tensor.has_data;
            const auto known = after_.find(value);
            if (known == after_.end()) continue;
            before.insert(before.end(), known->second.begin(), known->second.end());
        }
        if (!varies) return;
        varies_.insert(op.outputs[0]);
        const ComputeNeed need = needs_.of(block_, op);
        if (need.commands == 0) {
            after_[op.outputs[0]] = std::move(before);
            return;
        }
        add_loads(op, before);
        const std::int64_t pieces = times_.pieces(value_bytes(block_.tensors[op.outputs[0]]));
        NeedElement element{need, {}, std::move(before), pieces == 1};
        element.compute.commands *= pieces;
        after_[op.outputs[0]] = {add(std::move(element))};
    }

    /// What comes from global memory: values that the scope is given, and weights.
    void add_loads(const graph::Operator& op, std::vector<std::size_t>& before) {
        for (std::size_t i = 0; i < op.inputs.size(); ++i) {
            const TensorIndex value = op.inputs[i];
            const graph::Tensor& tensor = block_.tensors[value];
            if (makers_.contains(value) || tensor.has_data || !reads_whole(block_, op, i)) continue;
            before.push_back(load(value, value_bytes(tensor)));
        }
        const std::uint64_t bytes = weight_bytes(block_, op);
        if (bytes > 0) before.push_back(load(op.inputs[1], bytes));
    }

    /// Once for all who read the value.
    std::size_t load(TensorIndex value, std::uint64_t bytes) {
        const auto [known, is_new] = loads_.try_emplace(value, 0);
        if (!is_new) return known->second;
        // All weights may lie in one piece of memory.
        const bool has_command = !block_.tensors[value].has_data || !std::exchange(weights_, true);
        TrafficNeed traffic{.read = bytes};
        traffic.loads = has_command ? times_.pieces(bytes) : 0;
        known->second = add({{}, traffic, {}, traffic.loads == 1});
        return known->second;
    }

    /// Values that are others' bytes are stored once.
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
        const TrafficNeed traffic{.written = bytes, .stores = times_.pieces(bytes)};
        add({{}, traffic, known->second, traffic.stores == 1});
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
    std::map<TensorIndex, std::uint32_t> makers_;  ///< operators of the scope
    std::set<TensorIndex> whole_, varies_, stored_;
    std::map<TensorIndex, std::size_t> loads_;
    std::map<TensorIndex, std::vector<std::size_t>> after_;  ///< elements that a value waits for
    bool weights_ = false;                                   ///< some have a command
    std::vector<NeedElement> elements_;
};

}  // namespace

BoundScope scope_of(const graph::Graph& graph) {
    const graph::Block& block = graph.main();
    BoundScope scope{block, {}, {block.outputs.begin(), block.outputs.end()}};
    for (std::uint32_t i = 0; i < block.operators.size(); ++i) scope.operators.push_back(i);
    return scope;
}

BoundScope scope_of(const graph::Block& block, const planning::Step& step) {
    BoundScope scope{block, {}, {}};
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
    // Copies in another order are behind the block's tensors.
    for (const planning::Slot slot : step.outputs) {
        if (slot < block.tensors.size()) scope.wanted.push_back(slot);
    }
    return scope;
}

std::vector<NeedElement> needs_of(const BoundScope& scope, pricing::MachineHost& host) {
    return ScopeNeeds(scope, host).run();
}

}  // namespace okksim::sim::bound
