// SPDX-License-Identifier: Apache-2.0
#include "sim/graph/schedule.h"

#include <algorithm>

#include "sim/graph/captures.h"
#include "sim/graph/constant_operator.h"
#include "sim/graph/execution_order.h"
#include "sim/graph/graph_errors.h"

namespace okksim::sim::graph {

namespace {

constexpr std::string_view kGraphSection = "2.2";

[[noreturn]] void fail(const Block& block, const Operator* op, std::string_view tensor,
                       const std::string& rule) {
    throw_illegal_graph({&block, op, "tensor " + std::string(tensor), ""}, rule, kGraphSection);
}

void mark_inputs(Block& block) {
    for (const TensorIndex index : block.inputs) {
        Tensor& tensor = block.tensors[index];
        if (tensor.is_block_input) {
            fail(block, nullptr, tensor.name, "a block lists an input once");
        }
        if (tensor.variable || tensor.is_capture) {
            fail(block, nullptr, tensor.name, "a block input is a tensor of the block");
        }
        tensor.is_block_input = true;
        // The .tosa file repeats the caller's constant; the capture must be bound to the caller's
        // value instead.
        tensor.data = {};
        tensor.has_data = false;
    }
}

/// Sets the producers as positions in the current order of operators.
void find_producers(Block& block) {
    for (std::uint32_t position = 0; position < block.operators.size(); ++position) {
        const Operator& op = block.operators[position];
        for (const TensorIndex index : op.outputs) {
            Tensor& tensor = block.tensors[index];
            if (tensor.producer || tensor.is_block_input || tensor.variable || tensor.is_capture ||
                (tensor.has_data && !is_constant(op))) {
                fail(
                    block, &op, tensor.name,
                    "a value has one producer: it is written by one operator, or is a block input, "
                    "a constant or a variable");
            }
            tensor.producer = position;
        }
    }
}

void check_defined(const Block& block) {
    const auto check = [&](const Operator* op, TensorIndex index) {
        const Tensor& tensor = block.tensors[index];
        if (!tensor.producer && !tensor.is_block_input && !tensor.has_data && !tensor.is_capture) {
            fail(
                block, op, tensor.name,
                tensor.variable
                    ? "a variable is read through VARIABLE_READ"
                    : "every used value is a block input, a constant or the output of an operator");
        }
    };
    for (const Operator& op : block.operators) {
        for (const TensorIndex index : op.inputs) check(&op, index);
        for (const SubGraph* sub_graph : sub_graphs(op)) {
            for (const TensorIndex index : sub_graph->captures) check(&op, index);
        }
    }
    for (const TensorIndex index : block.outputs) check(nullptr, index);
}

/// Returns the operators' positions in execution order.
std::vector<std::uint32_t> operator_order(const Block& block) {
    const auto count = static_cast<std::uint32_t>(block.operators.size());
    std::vector<std::uint32_t> order =
        execution_order(count, [&block](std::uint32_t position, auto&& visit) {
            const Operator& op = block.operators[position];
            const auto use = [&](TensorIndex index) {
                if (const auto producer = block.tensors[index].producer) visit(*producer);
            };
            for (const TensorIndex index : op.inputs) use(index);
            for (const SubGraph* sub_graph : sub_graphs(op)) {
                for (const TensorIndex index : sub_graph->captures) use(index);
            }
        });
    if (order.size() == count) return order;
    std::vector<bool> is_ordered(count);
    for (const std::uint32_t position : order) is_ordered[position] = true;
    const auto first = std::find(is_ordered.begin(), is_ordered.end(), false);
    const Operator& op = block.operators[static_cast<std::size_t>(first - is_ordered.begin())];
    fail(block, &op, op.outputs.empty() ? Name("-") : block.output(op, 0).name,
         "a graph has no cycles: this value depends on itself");
}

void reorder(Block& block) {
    const std::vector<std::uint32_t> order = operator_order(block);
    if (std::is_sorted(order.begin(), order.end())) return;
    std::deque<Operator> operators;
    for (const std::uint32_t position : order) {
        operators.push_back(std::move(block.operators[position]));
    }
    block.operators = std::move(operators);
    for (std::uint32_t position = 0; position < block.operators.size(); ++position) {
        for (const TensorIndex index : block.operators[position].outputs) {
            block.tensors[index].producer = position;
        }
    }
}

}  // namespace

void schedule_graph(Graph& graph) {
    for (Region& region : graph.regions) {
        for (Block& block : region.blocks) {
            mark_inputs(block);
            find_producers(block);
            check_defined(block);
            reorder(block);
        }
    }
}

}  // namespace okksim::sim::graph
