// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "isa/command.h"
#include "models/bdc/elements/element_sources.h"
#include "models/bdc/vector/vector_run.h"
#include "models/memory/local_memory.h"

namespace okksim::models {

/// Tensors and constants of an element-wise command, collected by the roles of its operands:
/// destination, then the sources in operand order.
template <std::size_t kTensors>
class VectorOperands {
 public:
    explicit VectorOperands(LocalMemory& memory) : memory_(memory) {}

    template <typename Value, typename Role>
    [[gnu::always_inline]] void operator()(isa::OperandKind, const char*,
                                           const isa::OperandRules& rules, const Value& value,
                                           const Role& role) {
        if constexpr (std::is_same_v<Role, isa::roles::Words>) {
            tensor(value, role.stride);
            if (rules.access == isa::Access::kUpdate) tensor(value, role.stride);
        } else if constexpr (std::is_same_v<Role, isa::roles::PerChannel>) {
            tensor(value, {0, 1, 0, 0});
        } else if constexpr (std::is_same_v<Role, isa::roles::Constant>) {
            constants_[count_] = role.word;
            tensors_[count_] = constant_tensor(&constants_[count_]);
            ++count_;
        } else if constexpr (std::is_same_v<Role, isa::roles::Selected>) {
            params_.selected = value.bits;
        } else if constexpr (std::is_same_v<Role, isa::roles::Terms>) {
            params_.terms = value;
        } else {
            static_assert(std::is_same_v<Role, isa::roles::Extent> ||
                              std::is_same_v<Role, isa::roles::Placement>,
                          "forms.def: a role that element-wise commands know nothing of");
        }
    }
    const std::array<WalkTensor, kTensors>& tensors() const { return tensors_; }
    const VectorParams& params() const { return params_; }

 private:
    void tensor(isa::LocalAddr addr, const isa::Dim4& stride) {
        tensors_[count_++] = local_tensor(memory_, addr, stride, isa::kWordBytes);
    }

    LocalMemory& memory_;
    std::array<WalkTensor, kTensors> tensors_;
    std::size_t count_ = 0;
    std::array<std::uint32_t, kTensors> constants_{};  ///< by tensor
    VectorParams params_;
};

/// Carries out an element-wise command on 32-bit elements. Sources may have any strides, 0
/// included.
template <typename Form>
void execute_vector(const isa::Command& command, LocalMemory& memory, LanePool& pool) {
    const Form form = command.as<Form>();
    constexpr auto kTensors = static_cast<std::size_t>(element_sources<Form>() + 1);
    VectorOperands<kTensors> operands(memory);
    form.visit(operands);
    run_vector(vector_operation(command.info()), operands.params(), form.shape, memory.lanes(),
               operands.tensors(), pool);
}

}  // namespace okksim::models
