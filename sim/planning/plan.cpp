// SPDX-License-Identifier: Apache-2.0
#include "sim/planning/plan.h"

#include <algorithm>
#include <map>

#include "isa/base/errors.h"
#include "sim/graph/element.h"

namespace okksim::sim::planning {
namespace {

using kernels::DeviceTensor;

/// True if the same copy serves both values.
bool same_layout(const DeviceTensor& a, const DeviceTensor& b) {
    return a.type == b.type && a.rank == b.rank && a.dims == b.dims && a.strides == b.strides;
}

}  // namespace

const kernels::DecisionList& GraphPlan::copy_decisions(const DeviceTensor& from,
                                                       const DeviceTensor& to) const {
    for (const ValueCopy& copy : copies) {
        if (same_layout(copy.from, from) && same_layout(copy.to, to)) return copy.decisions;
    }
    throw InternalError("control flow copies a value without a planned copy");
}

graph::TensorIndex tensor_of(const BlockPlan& plan, std::size_t tensors, Slot slot) {
    while (slot >= tensors) {
        const auto copy = std::find_if(plan.steps.begin(), plan.steps.end(), [&](const Step& step) {
            return step.kind == StepKind::kReorder && step.outputs[0] == slot;
        });
        OKKSIM_CHECK(copy != plan.steps.end());
        slot = copy->inputs[0];
    }
    return slot;
}

std::vector<DeviceTensor> pick(std::span<const DeviceTensor> slots, std::span<const Slot> which) {
    std::vector<DeviceTensor> tensors;
    for (const Slot slot : which) tensors.push_back(slots[slot]);
    return tensors;
}

std::string origin_of(const graph::Block& block, const Step& step) {
    std::string origin = block.origin(block.operators[step.op]);
    if (!step.layers.empty()) {
        const std::string last = block.origin(block.operators[step.layers.back().op]);
        if (!origin.empty() && !last.empty()) origin += " ... ";
        return origin + last;
    }
    for (const StepFollower& follower : step.followers) {
        const std::string further = block.origin(block.operators[follower.op]);
        if (!origin.empty() && !further.empty()) origin += " + ";
        origin += further;
    }
    return origin;
}

std::vector<kernels::Follower> bind_followers(const graph::Block& block, const Step& step,
                                              std::span<const DeviceTensor> slots) {
    std::vector<kernels::Follower> followers;
    for (const StepFollower& follower : step.followers) {
        const graph::Operator& op = block.operators[follower.op];
        followers.push_back({op.op, &op.attributes.get(), follower.operands,
                             pick(slots, follower.inputs), slots[follower.output]});
    }
    return followers;
}

namespace {

/// Returns the values of a small constant, or none for other values.
std::vector<std::int64_t> list_values(const graph::Tensor& tensor) {
    std::vector<std::int64_t> values;
    const std::uint64_t count =
        tensor.has_data ? graph::element_count(tensor.shape).value_or(0) : 0;
    for (std::size_t i = 0; i < count; ++i) {
        values.push_back(graph::integer_element(tensor.data, tensor.type, i));
    }
    return values;
}

}  // namespace

BoundLayers bind_layers(const graph::Block& block, const Step& step,
                        std::span<const DeviceTensor> slots) {
    const auto lists = [](const std::vector<Slot>& list, Slot slot) {
        return std::find(list.begin(), list.end(), slot) != list.end();
    };
    BoundLayers bound;
    bound.prepared = step.prepared;
    std::map<Slot, int> positions;
    const auto position = [&](Slot slot) {
        const auto [at, is_new] =
            positions.try_emplace(slot, static_cast<int>(bound.values.size()));
        if (is_new) {
            bound.values.push_back(
                {slots[slot], lists(step.inputs, slot), lists(step.outputs, slot)});
            bound.slots.push_back(slot);
        }
        return at->second;
    };
    for (const StepLayer& layer : step.layers) {
        const graph::Operator& op = block.operators[layer.op];
        kernels::layers::LayerOperator bound_op{op.op, &op.attributes.get(), {}, 0};
        for (const Slot slot : layer.inputs) bound_op.inputs.push_back(position(slot));
        bound_op.output = position(layer.output);
        if (op.op == tosa::OpCode::kSlice) bound_op.list = list_values(block.input(op, 1));
        bound.operators.push_back(std::move(bound_op));
    }
    return bound;
}

}  // namespace okksim::sim::planning
