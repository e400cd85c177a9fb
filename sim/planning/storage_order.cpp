// SPDX-License-Identifier: Apache-2.0
#include "sim/planning/storage_order.h"

#include "kernels/tosa/operator_row.h"
#include "sim/graph/captures.h"

namespace okksim::sim::planning {

OrderRule order_rule(tosa::OpCode op) {
    switch (tosa::operator_row(op).storage) {
        case tosa::Storage::kRowMajor: return {};
        case tosa::Storage::kFeatureMap: return {.feature_inputs = 1};
        case tosa::Storage::kFollowsInput: return {.follows_input = true};
        case tosa::Storage::kRowMajorInputs: return {.row_major_inputs = true};
    }
    __builtin_unreachable();
}

namespace {

/// True if neither of the tensors is broadcast, so that one order suits both.
bool same_shape(const graph::Tensor& a, const graph::Tensor& b) { return a.shape == b.shape; }

StorageOrder order_of_output(const graph::Block& block, const graph::Operator& op,
                             const std::vector<StorageOrder>& orders) {
    const OrderRule rule = order_rule(op.op);
    if (rule.feature_inputs > 0) return StorageOrder::kChannelFirst;
    if (!rule.follows_input) return StorageOrder::kRowMajor;
    // A broadcast operand does not determine the order. A full operand that is channel first does.
    for (const graph::TensorIndex input : op.inputs) {
        if (orders[input] == StorageOrder::kChannelFirst &&
            (input == op.inputs[0] ||
             same_shape(block.tensors[input], block.tensors[op.outputs[0]]))) {
            return StorageOrder::kChannelFirst;
        }
    }
    return StorageOrder::kRowMajor;
}

}  // namespace

std::vector<StorageOrder> choose_orders(const graph::Block& block) {
    std::vector<StorageOrder> orders(block.tensors.size(), StorageOrder::kRowMajor);
    std::vector<bool> fixed(block.tensors.size(), false);
    for (const graph::TensorIndex output : block.outputs) fixed[output] = true;
    for (const graph::Operator& op : block.operators) {
        for (const tosa::SubGraph* sub_graph : graph::sub_graphs(op)) {
            for (const graph::TensorIndex value : sub_graph->captures) fixed[value] = true;
        }
    }
    for (const graph::Operator& op : block.operators) {
        if (op.outputs.size() != 1) continue;
        const graph::TensorIndex output = op.outputs[0];
        if (!fixed[output]) orders[output] = order_of_output(block, op, orders);
    }
    return orders;
}

}  // namespace okksim::sim::planning
