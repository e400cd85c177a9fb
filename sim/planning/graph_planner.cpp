// SPDX-License-Identifier: Apache-2.0
#include "sim/planning/graph_planner.h"

#include <algorithm>
#include <map>
#include <optional>
#include <set>

#include "isa/base/errors.h"
#include "sim/graph/element.h"
#include "sim/planning/block_planner.h"
#include "sim/planning/describe_value.h"
#include "sim/planning/memory_plan.h"
#include "sim/planning/storage_order.h"

namespace okksim::sim::planning {
namespace {

using kernels::DeviceTensor;

/// The largest magnitude among the values of a bias, or of a constant that could be one.
std::optional<std::int64_t> largest_value(const graph::Tensor& tensor) {
    const bool accumulates = tensor.type == tosa::DType::kI32 || tensor.type == tosa::DType::kI48;
    if (!accumulates || tensor.shape.size() != 1) return std::nullopt;
    std::int64_t largest = 0;
    const std::uint64_t count =
        graph::distinct_elements(tensor.data, static_cast<std::uint64_t>(tensor.shape[0]));
    for (std::uint64_t i = 0; i < count; ++i) {
        const std::int64_t value = graph::integer_element(tensor.data, tensor.type, i);
        largest = std::max(largest, value < 0 ? -value : value);
    }
    return largest;
}

std::uint64_t value_bytes(const DeviceTensor& value) {
    return static_cast<std::uint64_t>(value.count()) *
           static_cast<std::uint64_t>(kernels::stored_bytes(value.type));
}

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
        for (const StepFollower& follower : plan.steps[i].followers) {
            for (const Slot slot : follower.inputs) all[owner_of(plan, slot)].last = i;
        }
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

/// The values of a block as text would define them: inputs, constants without an operator, results
/// of operators. A list of tensors may be in any order, and differs between forms of one graph.
std::vector<graph::TensorIndex> definition_order(const graph::Block& block) {
    std::vector<graph::TensorIndex> order;
    std::vector<bool> is_listed(block.tensors.size());
    const auto list = [&](graph::TensorIndex index) {
        if (!is_listed[index]) order.push_back(index);
        is_listed[index] = true;
    };
    for (const graph::TensorIndex index : block.inputs) list(index);
    for (graph::TensorIndex i = 0; i < block.tensors.size(); ++i) {
        if (!block.tensors[i].producer) list(i);
    }
    for (const graph::Operator& op : block.operators) {
        for (const graph::TensorIndex index : op.outputs) list(index);
    }
    return order;
}

/// Returns the constants of a block in the order in which its operators use them. Constants that
/// one operator uses keep the order of their definitions. Constants without a use are last.
std::vector<graph::TensorIndex> constants_in_use_order(
    const graph::Block& block, const std::vector<graph::TensorIndex>& definitions) {
    std::vector<std::uint32_t> rank(block.tensors.size());
    for (std::uint32_t i = 0; i < definitions.size(); ++i) rank[definitions[i]] = i;
    std::vector<graph::TensorIndex> order;
    std::vector<bool> is_listed(block.tensors.size());
    const auto list = [&](graph::TensorIndex index) {
        const graph::Tensor& tensor = block.tensors[index];
        if (!tensor.has_data || tensor.variable || is_listed[index]) return;
        is_listed[index] = true;
        order.push_back(index);
    };
    for (const graph::Operator& op : block.operators) {
        std::vector<graph::TensorIndex> inputs = op.inputs;
        std::sort(inputs.begin(), inputs.end(),
                  [&](graph::TensorIndex a, graph::TensorIndex b) { return rank[a] < rank[b]; });
        for (const graph::TensorIndex input : inputs) list(input);
    }
    for (const graph::TensorIndex index : definitions) list(index);
    return order;
}

class GraphPlanner {
 public:
    GraphPlanner(const graph::Graph& graph, const MemoryRange& memory, const PlanOptions& options)
        : graph_(graph), options_(options) {
        plan_.options = options;
        plan_.memory = MemoryPile(memory);
    }

    GraphPlan run() {
        place_variables();
        for (const graph::Region& region : graph_.regions) {
            plan_.blocks.emplace_back();
            for (const graph::Block& block : region.blocks) {
                plan_.blocks.back().push_back(plan_block(block, options_));
                const auto definitions = definition_order(block);
                place_constants(block, definitions, plan_.blocks.back().back());
                place_values(block, definitions, plan_.blocks.back().back());
                place_views(plan_.blocks.back().back());
            }
        }
        plan_.memory.check();
        return std::move(plan_);
    }

 private:
    void place_variables() {
        for (const graph::Variable& variable : graph_.variables) {
            graph::Tensor tensor;
            tensor.type = variable.type;
            tensor.shape = variable.shape;
            DeviceTensor value = describe_value(tensor, StorageOrder::kRowMajor);
            value.address = plan_.memory.take(value_bytes(value));
            plan_.variable_bytes += value_bytes(value);
            plan_.variables.push_back(value);
        }
    }

    void place_constants(const graph::Block& block,
                         const std::vector<graph::TensorIndex>& definitions, BlockPlan& plan) {
        std::vector<bool> is_read(block.tensors.size());
        for (const graph::Operator& op : block.operators) {
            for (const graph::TensorIndex input : op.inputs) is_read[input] = true;
        }
        for (const graph::TensorIndex output : block.outputs) is_read[output] = true;
        for (const graph::TensorIndex i : constants_in_use_order(block, definitions)) {
            const graph::Tensor& tensor = block.tensors[i];
            // Blocks share the bytes of a constant, for example of one that a sub-graph uses.
            const auto [place, is_new] = constants_.try_emplace(tensor.data.identity(), 0);
            if (is_new || tensor.data.empty()) {
                place->second = plan_.constants.size();
                plan_.constants.push_back(
                    {plan_.memory.take(value_bytes(plan.slots[i])),
                     graph::host_bytes(tensor.type, tensor.shape, tensor.data)});
                plan_.constant_bytes += value_bytes(plan.slots[i]);
            }
            ConstantImage& image = plan_.constants[place->second];
            image.is_read = image.is_read || is_read[i];
            plan.slots[i].address = image.address;
            plan.slots[i].constant = true;
            plan.slots[i].largest = largest_value(tensor);
        }
    }

    void place_values(const graph::Block& block, const std::vector<graph::TensorIndex>& definitions,
                      BlockPlan& plan) {
        std::vector<Slot> slots;
        for (const Slot slot : definitions) {
            const graph::Tensor& tensor = block.tensors[slot];
            if (tensor.has_data || tensor.is_capture || tensor.variable) continue;
            if (plan.views.count(slot) > 0 || plan.unstored.count(slot) > 0) continue;
            slots.push_back(slot);
        }
        for (auto slot = static_cast<Slot>(block.tensors.size()); slot < plan.slots.size();
             ++slot) {
            slots.push_back(slot);
        }
        const MemoryPlan places = plan_memory(lifetimes_of(plan, slots));
        const std::uint64_t base = plan_.memory.take(places.bytes);
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
    PlanOptions options_;
    GraphPlan plan_;
    std::map<const void*, std::size_t> constants_;  ///< positions in GraphPlan::constants
};

}  // namespace

GraphPlan plan_graph(const graph::Graph& graph, const MemoryRange& memory,
                     const PlanOptions& options) {
    return GraphPlanner(graph, memory, options).run();
}

}  // namespace okksim::sim::planning
