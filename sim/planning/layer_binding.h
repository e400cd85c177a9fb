// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "sim/planning/layer_programs.h"
#include "sim/planning/operator_times.h"
#include "sim/planning/plan.h"
#include "sim/planning/value_uses.h"

namespace okksim::sim::planning {

/// The operators of a block that can be layers of groups, and the calls of the groups' kernel.
class LayerBinding {
 public:
    /// `plan` is the plan of the block without groups. Operators without a time in `times` cannot
    /// be layers. Values without an address get the address `somewhere`. `block` and `machine` must
    /// outlive the object.
    LayerBinding(const graph::Block& block, const BlockPlan& plan, const isa::MachineShape& machine,
                 const OperatorTimes& times, std::uint64_t somewhere);

    /// True if the operator at this position of the block can be a layer or part of one.
    bool can_join(std::uint32_t op) const { return joins_[op]; }
    /// Binds ascending operators. With `is_ordered` the first operand is channel first.
    BoundLayers bind(std::span<const std::uint32_t> operators, bool is_ordered = false) const;
    /// Returns the group of the operators, without a plan.
    LayerGroup group_of(std::span<const std::uint32_t> operators, bool is_ordered) const;
    /// Returns a key of everything that a plan of the operators depends on, apart from the machine.
    std::string key_of(std::span<const std::uint32_t> operators) const;
    /// Returns the result of the last operator.
    const kernels::DeviceTensor& result_of(std::span<const std::uint32_t> operators) const {
        return slots_[block_.operators[operators.back()].outputs[0]];
    }

 private:
    using Members = std::vector<std::uint32_t>;

    void find_layers(const OperatorTimes& times);
    bool can_be_layer(const FoldedOperator& folded) const;
    /// Returns the commands of a function, which are made once.
    std::shared_ptr<const kernels::layers::ByteProgram> program(const FoldedOperator& folded) const;
    /// Returns the commands on packed feature maps, which are made once.
    std::shared_ptr<const kernels::layers::NativeProgram> native_program(
        const FoldedOperator& folded) const;
    /// Gives the values of a group addresses one after another. Plans of equal groups are then
    /// equal, wherever their values are.
    void place_values(BoundLayers& bound) const;
    /// Returns the attributes of the first operator with equal ones, so that the prices of equal
    /// layers are computed once.
    const tosa::Attributes* first_equal(const tosa::Attributes& attributes) const;
    graph::TensorIndex first_operand(std::span<const std::uint32_t> operators) const;
    bool is_of_bytes(const StepLayer& layer) const;

    const graph::Block& block_;
    const isa::MachineShape& machine_;
    std::uint64_t somewhere_;
    ValueUses uses_;
    std::vector<std::int32_t> offsets_;  ///< by tensor
    bool is_native_;                     ///< int8 feature maps stay packed
    std::vector<bool> joins_;            ///< by operator
    std::vector<kernels::DeviceTensor> slots_;
    mutable std::map<std::string, const tosa::Attributes*> attributes_;
    mutable std::map<Members, std::shared_ptr<const kernels::layers::ByteProgram>> programs_;
    mutable std::map<Members, std::shared_ptr<const kernels::layers::NativeProgram>> natives_;
};

}  // namespace okksim::sim::planning
