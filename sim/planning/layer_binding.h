// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <span>
#include <vector>

#include "sim/planning/layer_programs.h"
#include "sim/planning/operator_times.h"
#include "sim/planning/plan.h"
#include "sim/planning/value_uses.h"

namespace okksim::sim::planning {

/// Which operators of a block can be layers of groups, and what the kernel of a group is called
/// with.
class LayerBinding {
 public:
    /// `plan` is that of the block without groups; operators without a time in `times` are no
    /// layers. What has no address of its own lies at `somewhere`. The block and the times must
    /// outlive this.
    LayerBinding(const graph::Block& block, const BlockPlan& plan, const isa::MachineShape& machine,
                 const OperatorTimes& times, std::uint64_t somewhere);

    /// Whether an operator, by its position in the block, can be a layer or part of one.
    bool can_join(std::uint32_t op) const { return joins_[op]; }
    /// Of some operators, ascending; with the first operand channel first where `is_ordered`.
    BoundLayers bind(std::span<const std::uint32_t> operators, bool is_ordered = false) const;
    /// The group of such operators, without a plan.
    LayerGroup group_of(std::span<const std::uint32_t> operators, bool is_ordered) const;
    /// What the last of them makes.
    const kernels::DeviceTensor& result_of(std::span<const std::uint32_t> operators) const {
        return slots_[block_.operators[operators.back()].outputs[0]];
    }

 private:
    using Members = std::vector<std::uint32_t>;

    void find_layers(const OperatorTimes& times);
    bool can_be_layer(const FoldedOperator& folded) const;
    /// What a function's commands are; made once.
    std::shared_ptr<const kernels::layers::ByteProgram> program(const FoldedOperator& folded) const;
    /// The same on packed maps.
    std::shared_ptr<const kernels::layers::NativeProgram> native_program(
        const FoldedOperator& folded) const;
    graph::TensorIndex first_operand(std::span<const std::uint32_t> operators) const;
    bool is_of_bytes(const StepLayer& layer) const;

    const graph::Block& block_;
    const isa::MachineShape& machine_;
    std::uint64_t somewhere_;
    ValueUses uses_;
    std::vector<std::int32_t> offsets_;  ///< of tensors
    bool is_native_;                     ///< int8 maps stay packed
    std::vector<bool> joins_;            ///< operators
    std::vector<kernels::DeviceTensor> slots_;
    mutable std::map<Members, std::shared_ptr<const kernels::layers::ByteProgram>> programs_;
    mutable std::map<Members, std::shared_ptr<const kernels::layers::NativeProgram>> natives_;
};

}  // namespace okksim::sim::planning
