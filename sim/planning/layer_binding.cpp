// SPDX-License-Identifier: Apache-2.0
#include "sim/planning/layer_binding.h"

#include "kernels/layers/layer.h"
#include "sim/graph/constant_operator.h"
#include "sim/planning/block_planner.h"
#include "sim/planning/describe_value.h"
#include "sim/planning/key_writer.h"
#include "sim/planning/memory_plan.h"

namespace okksim::sim::planning {

LayerBinding::LayerBinding(const graph::Block& block, const BlockPlan& plan,
                           const isa::MachineShape& machine, const OperatorTimes& times,
                           std::uint64_t somewhere)
    : block_(block),
      machine_(machine),
      somewhere_(somewhere),
      uses_(block),
      offsets_(map_offsets(block)),
      is_native_(kernels::layers::has_native_layers(machine)) {
    slots_.assign(plan.slots.begin(), plan.slots.begin() + static_cast<long>(block.tensors.size()));
    for (kernels::DeviceTensor& slot : slots_) {
        if (slot.address == 0) slot.address = somewhere_;
    }
    find_layers(times);
}

LayerGroup LayerBinding::group_of(std::span<const std::uint32_t> operators, bool is_ordered) const {
    LayerGroup group{&block_,
                     {},
                     {operators.begin(), operators.end()},
                     kernels::DecisionList("layer group"),
                     is_native_};
    if (is_ordered) group.ordered.push_back(first_operand(operators));
    return group;
}

/// Finds the operators that can be layers, or parts of one.
void LayerBinding::find_layers(const OperatorTimes& times) {
    std::vector<std::uint32_t> candidates;
    for (std::uint32_t i = 0; i < block_.operators.size(); ++i) {
        const graph::Operator& op = block_.operators[i];
        if (!graph::is_constant(op) && op.outputs.size() == 1 && times.of(op))
            candidates.push_back(i);
    }
    joins_.assign(block_.operators.size(), false);
    for (const FoldedOperator& folded : fold_operators(block_, uses_, candidates, is_native_)) {
        if (!can_be_layer(folded)) continue;
        for (const std::uint32_t member : folded.members) joins_[member] = true;
    }
}

bool LayerBinding::can_be_layer(const FoldedOperator& folded) const {
    const std::uint32_t index = folded.members.back();
    const graph::Operator& op = block_.operators[index];
    // The value of a shift other than a constant zero would only be known at run time.
    if (op.op == tosa::OpCode::kMul && constant_of(block_, op, 2) != 0) return false;
    if (is_native_ &&
        block_.input(block_.operators[folded.members[0]], 0).type == tosa::DType::kI8) {
        const bool computes = folded.is_function || folded.scales_sums;
        if (computes ? !native_program(folded) : is_layer_convolution(op.op)) return false;
    } else if (folded.is_function) {
        if (!program(folded)) return false;
    } else if (block_.input(op, 0).type == tosa::DType::kI8 && is_layer_convolution(op.op) &&
               !has_short_sums(block_, op, offsets_)) {
        return false;
    }
    const BoundLayers bound = bind(folded.members);
    return bound.operators.size() == 1 &&
           kernels::layers::layer_of(bound.operators[0], bound.values, machine_).has_value();
}

std::shared_ptr<const kernels::layers::ByteProgram> LayerBinding::program(
    const FoldedOperator& folded) const {
    const auto [known, is_new] = programs_.try_emplace(folded.members);
    if (is_new) known->second = program_of(block_, folded, offsets_);
    return known->second;
}

std::shared_ptr<const kernels::layers::NativeProgram> LayerBinding::native_program(
    const FoldedOperator& folded) const {
    const auto [known, is_new] = natives_.try_emplace(folded.members);
    if (is_new) known->second = native_program_of(block_, folded);
    return known->second;
}

BoundLayers LayerBinding::bind(std::span<const std::uint32_t> operators, bool is_ordered) const {
    const LayerGroup group{&block_, {}, {operators.begin(), operators.end()}, {}, is_native_};
    const Step step = layer_step(block_, uses_, group);
    BoundLayers bound = bind_layers(block_, step, slots_);
    place_values(bound);
    for (std::size_t i = 0; i < step.layers.size(); ++i) {
        const StepLayer& layer = step.layers[i];
        bound.operators[i].attributes = first_equal(*bound.operators[i].attributes);
        if (is_native_ && is_of_bytes(layer)) {
            bound.operators[i].is_native = true;
            if (layer.is_function || layer.scales_sums) {
                bound.operators[i].native =
                    native_program({layer.members, layer.inputs, layer.output, layer.is_function,
                                    layer.scales_sums, layer.takes_whole_map});
            }
            continue;
        }
        if (!layer.is_function) continue;
        bound.operators[i].program = program({layer.members, layer.inputs, layer.output, true});
    }
    for (std::size_t i = 0; i < bound.values.size(); ++i) {
        bound.values[i].offset = is_native_ ? 0 : offsets_[bound.slots[i]];
        if (!is_ordered || bound.slots[i] != first_operand(operators)) continue;
        bound.values[i].tensor.strides =
            describe_value(block_.tensors[bound.slots[i]], StorageOrder::kChannelFirst).strides;
    }
    return bound;
}

void LayerBinding::place_values(BoundLayers& bound) const {
    std::uint64_t next = somewhere_;
    for (kernels::layers::LayerValue& value : bound.values) {
        if (!value.given && !value.wanted) continue;
        value.tensor.address = next;
        next += place_bytes(static_cast<std::uint64_t>(value.tensor.count()) *
                            static_cast<std::uint64_t>(kernels::stored_bytes(value.tensor.type)));
    }
    bound.prepared = next;
}

const tosa::Attributes* LayerBinding::first_equal(const tosa::Attributes& attributes) const {
    KeyWriter key;
    key.put(attributes);
    return attributes_.try_emplace(key.take(), &attributes).first->second;
}

std::string LayerBinding::key_of(std::span<const std::uint32_t> operators) const {
    const BoundLayers bound = bind(operators);
    KeyWriter key;
    for (const kernels::layers::LayerOperator& op : bound.operators) {
        key.put(op.op);
        key.put(op.attributes);
        key.put(op.inputs);
        key.put(op.output);
        key.put(op.list);
        key.put(op.program.get());
        key.put(op.native.get());
        key.put(op.is_native);
    }
    for (const kernels::layers::LayerValue& value : bound.values) {
        key.put(value.given);
        key.put(value.wanted);
        key.put(value.offset);
        key.put(value.tensor.type);
        key.put(value.tensor.rank);
        key.put(value.tensor.dims);
        key.put(value.tensor.strides);
    }
    return key.take();
}

graph::TensorIndex LayerBinding::first_operand(std::span<const std::uint32_t> operators) const {
    return block_.operators[operators.front()].inputs[0];
}

bool LayerBinding::is_of_bytes(const StepLayer& layer) const {
    const graph::Operator& first = block_.operators[layer.members.front()];
    return block_.input(first, 0).type == tosa::DType::kI8;
}

}  // namespace okksim::sim::planning
