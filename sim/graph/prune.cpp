// SPDX-License-Identifier: Apache-2.0
#include "sim/graph/prune.h"

#include <utility>

#include "sim/graph/captures.h"

namespace okksim::sim::graph {

namespace {

/// Marks the tensors that outputs depend on.
class Liveness {
 public:
    explicit Liveness(const Block& block)
        : block_(block), producer_(block.tensors.size(), kNone), is_live_(block.tensors.size()) {
        for (std::size_t i = 0; i < block.operators.size(); ++i) {
            for (const TensorIndex output : block.operators[i].outputs) producer_[output] = i;
        }
        for (const TensorIndex index : block.inputs) is_live_[index] = true;
        for (const TensorIndex index : block.captures) is_live_[index] = true;
        for (const TensorIndex index : block.outputs) mark(index);
        for (const Operator& op : block.operators) {
            if (op.outputs.empty()) mark_operands(op);
        }
        while (!pending_.empty()) {
            const std::size_t op = pending_.back();
            pending_.pop_back();
            mark_operands(block.operators[op]);
            for (const TensorIndex output : block.operators[op].outputs) is_live_[output] = true;
        }
    }

    bool is_live(TensorIndex index) const { return is_live_[index]; }

 private:
    static constexpr std::size_t kNone = ~std::size_t{0};

    void mark(TensorIndex index) {
        if (is_live_[index] && producer_[index] == kNone) return;
        is_live_[index] = true;
        if (producer_[index] != kNone) pending_.push_back(std::exchange(producer_[index], kNone));
    }

    void mark_operands(const Operator& op) {
        for (const TensorIndex input : op.inputs) mark(input);
        for (const SubGraph* inner : sub_graphs(op)) {
            for (const std::uint32_t capture : inner->captures) mark(capture);
        }
    }

    const Block& block_;
    std::vector<std::size_t> producer_;
    std::vector<bool> is_live_;
    std::vector<std::size_t> pending_;
};

void prune(Block& block) {
    const Liveness liveness(block);
    std::vector<TensorIndex> moved(block.tensors.size());
    std::deque<Tensor> tensors;
    for (TensorIndex i = 0; i < moved.size(); ++i) {
        if (!liveness.is_live(i)) continue;
        moved[i] = static_cast<TensorIndex>(tensors.size());
        tensors.push_back(std::move(block.tensors[i]));
    }
    if (tensors.size() == moved.size()) {
        block.tensors = std::move(tensors);
        return;
    }
    const auto renumbered = [&](const auto& list) {
        std::vector<TensorIndex> result;
        for (const TensorIndex index : list) result.push_back(moved[index]);
        return result;
    };
    std::deque<Operator> operators;
    for (Operator& op : block.operators) {
        bool is_used = op.outputs.empty();
        for (const TensorIndex output : op.outputs) is_used = is_used || liveness.is_live(output);
        if (!is_used) continue;
        op.inputs = renumbered(op.inputs);
        op.outputs = renumbered(op.outputs);
        for (SubGraph* inner : editable_sub_graphs(op))
            inner->captures = renumbered(inner->captures);
        operators.push_back(std::move(op));
    }
    block.operators = std::move(operators);
    block.tensors = std::move(tensors);
    block.inputs = renumbered(block.inputs);
    block.outputs = renumbered(block.outputs);
    block.captures = renumbered(block.captures);
}

}  // namespace

void prune_graph(Graph& graph) {
    for (Region& region : graph.regions) {
        for (Block& block : region.blocks) prune(block);
    }
}

}  // namespace okksim::sim::graph
