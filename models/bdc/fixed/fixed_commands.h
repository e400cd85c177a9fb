// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "isa/command.h"
#include "models/bdc/elements/element_sources.h"
#include "models/bdc/fixed/fixed_run.h"
#include "models/memory/local_memory.h"

namespace okksim::models {

/// A constant in every batch element of a word. It fits its type, so no bits are lost.
constexpr std::uint32_t repeated(std::int32_t value, isa::FixedType type) {
    const auto bits = static_cast<std::uint32_t>(value);
    return type.bits == 8 ? (bits & 0xFFu) * 0x01010101u : (bits & 0xFFFFu) * 0x00010001u;
}

/// The job of a packed fixed-point command, collected by the roles of its operands: destination,
/// then the sources in operand order.
template <std::size_t kTensors>
class FixedOperands {
 public:
    FixedOperands(FixedJob<kTensors>& job, LocalMemory& memory) : job_(job), memory_(memory) {}

    template <typename Value, typename Role>
    void operator()(isa::OperandKind, const char*, const isa::OperandRules& rules,
                    const Value& value, const Role& role) {
        if constexpr (std::is_same_v<Role, isa::roles::Packed>) {
            tensor(value, role.stride, role.type);
            if (rules.access == isa::Access::kUpdate) tensor(value, role.stride, role.old_type);
        } else if constexpr (std::is_same_v<Role, isa::roles::FixedConstant>) {
            constant_ = repeated(role.value, role.type);
            job_.tensor[count_++] = {constant_tensor(&constant_), role.type};
        } else if constexpr (std::is_same_v<Role, isa::roles::LeftShift>) {
            job_.lshift = value;
        } else if constexpr (std::is_same_v<Role, isa::roles::RightShift>) {
            job_.rshift = value;
        } else {
            static_assert(std::is_same_v<Role, isa::roles::Extent> ||
                              std::is_same_v<Role, isa::roles::Placement> ||
                              std::is_same_v<Role, isa::roles::Setting>,
                          "forms.def: a role that packed commands know nothing of");
        }
    }

 private:
    void tensor(isa::LocalAddr addr, const isa::Dim4& stride, isa::FixedType type) {
        job_.tensor[count_++] = {local_tensor(memory_, addr, stride, isa::kWordBytes), type};
    }

    FixedJob<kTensors>& job_;
    LocalMemory& memory_;
    std::size_t count_ = 0;
    std::uint32_t constant_ = 0;
};

/// Carries out a packed fixed-point command. 8-bit tensors hold batch elements 4m..4m+3 in a word
/// (4N), 16-bit tensors 2m, 2m+1 (2N); strides count words.
template <typename Form>
void execute_fixed(const isa::Command& command, LocalMemory& memory, LanePool& pool) {
    const Form form = command.as<Form>();
    FixedJob<static_cast<std::size_t>(element_sources<Form>() + 1)> job;
    job.row = fixed_row(command.info());
    job.shape = form.shape;
    job.lanes = memory.lanes();
    FixedOperands operands(job, memory);
    form.visit(operands);
    run_fixed(job, pool);
}

}  // namespace okksim::models
