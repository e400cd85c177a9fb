// SPDX-License-Identifier: Apache-2.0
#include "sim/planning/memory_need.h"

#include <unordered_map>
#include <unordered_set>
#include <vector>

#include "kernels/call/tensor.h"
#include "sim/graph/captures.h"
#include "sim/graph/constant_operator.h"
#include "sim/planning/memory_plan.h"
#include "sim/planning/storage_order.h"

namespace okksim::sim::planning {
namespace {

using graph::TensorIndex;

std::uint64_t value_bytes(tosa::DType type, const graph::Shape& shape) {
    return graph::element_count(shape).value_or(0) *
           static_cast<std::uint64_t>(kernels::stored_bytes(type));
}

bool has_step(tosa::OpCode op) { return !graph::is_constant(op) && op != tosa::OpCode::kVariable; }

/// The lifetimes of a block's values, in steps. Copies in another storage order are values as well.
class BlockLifetimes {
 public:
    explicit BlockLifetimes(const graph::Block& block)
        : block_(block), orders_(choose_orders(block)), lifetimes_(block.tensors.size()) {
        for (const graph::Operator& op : block.operators) {
            if (has_step(op.op)) add(op);
        }
        for (const auto* list : {&block.inputs, &block.outputs}) {
            for (const TensorIndex value : *list) lifetimes_[value] = {bytes(value), 0, step_};
        }
    }

    std::uint64_t working_bytes() const { return plan_memory(lifetimes_).bytes; }

 private:
    std::uint64_t bytes(TensorIndex value) const {
        const graph::Tensor& tensor = block_.tensors[value];
        const bool is_elsewhere = tensor.has_data || tensor.is_capture || tensor.variable;
        return is_elsewhere ? 0 : value_bytes(tensor.type, tensor.shape);
    }

    void add(const graph::Operator& op) {
        const OrderRule rule = order_rule(op.op);
        const auto wanted = [&](std::size_t n) {
            const bool is_map = n < static_cast<std::size_t>(rule.feature_inputs);
            if (is_map) return StorageOrder::kChannelFirst;
            return rule.row_major_inputs ? StorageOrder::kRowMajor : orders_[op.inputs[n]];
        };
        for (std::size_t n = 0; n < op.inputs.size(); ++n) {
            if (wanted(n) != orders_[op.inputs[n]]) copy(op.inputs[n]);
        }
        ++step_;
        for (const TensorIndex input : op.inputs) use(input);
        for (const tosa::SubGraph* inner : graph::sub_graphs(op)) {
            for (const TensorIndex value : inner->captures) use(value);
        }
        for (const TensorIndex output : op.outputs) {
            lifetimes_[output] = {bytes(output), step_, step_};
        }
        if (op.outputs.empty() || rule.feature_inputs == 0) return;
        if (orders_[op.outputs[0]] != StorageOrder::kRowMajor) return;
        // The kernel's own result, and the reorder step after it.
        lifetimes_.push_back({bytes(op.outputs[0]), step_, step_ + 1});
        ++step_;
        lifetimes_[op.outputs[0]].last = step_;
    }

    void use(TensorIndex value) {
        lifetimes_[value].last = step_;
        if (const auto found = copies_.find(value); found != copies_.end()) {
            lifetimes_[found->second].last = step_;
        }
    }

    void copy(TensorIndex value) {
        const auto [place, is_new] = copies_.try_emplace(value, lifetimes_.size());
        if (!is_new) return;
        ++step_;
        lifetimes_.push_back(
            {value_bytes(block_.tensors[value].type, block_.tensors[value].shape), step_, step_});
        use(value);
    }

    const graph::Block& block_;
    std::vector<StorageOrder> orders_;
    std::vector<Lifetime> lifetimes_;
    std::unordered_map<TensorIndex, std::size_t> copies_;
    std::uint32_t step_ = 0;
};

}  // namespace

MemoryNeed memory_need(const graph::Graph& graph) {
    MemoryNeed need;
    for (const graph::Variable& variable : graph.variables) {
        need.variable_bytes += value_bytes(variable.type, variable.shape);
    }
    std::unordered_set<const void*> constants;  // other blocks may use a block's constants
    for (const graph::Region& region : graph.regions) {
        for (const graph::Block& block : region.blocks) {
            for (const graph::Tensor& tensor : block.tensors) {
                if (!tensor.has_data || tensor.variable) continue;
                if (!constants.insert(tensor.data.identity()).second) continue;
                need.constant_bytes += value_bytes(tensor.type, tensor.shape);
            }
            need.working_bytes += BlockLifetimes(block).working_bytes();
        }
    }
    return need;
}

}  // namespace okksim::sim::planning
