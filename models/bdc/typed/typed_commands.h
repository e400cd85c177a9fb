// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>

#include "isa/command.h"
#include "models/bdc/typed/typed_run.h"
#include "models/memory/local_memory.h"

namespace okksim::models {

/// Tensors and constants of an element-wise command on integers, collected by the roles of its
/// operands: destination, then the sources in operand order.
class TypedOperands {
 public:
    explicit TypedOperands(LocalMemory& memory) : memory_(memory) {}

    template <typename Value, typename Role>
    void operator()(isa::OperandKind, const char*, const isa::OperandRules&, const Value& value,
                    const Role& role) {
        if constexpr (std::is_same_v<Role, isa::roles::Typed>) {
            tensor(value, role.stride, role.element);
        } else if constexpr (std::is_same_v<Role, isa::roles::Words>) {
            tensor(value, role.stride, isa::ElementType::kInt32);
        } else if constexpr (std::is_same_v<Role, isa::roles::LaneTable>) {
            const std::int32_t bytes = isa::element_bytes(role.element);
            table_ = {local_tensor(memory_, value, {0, 0, 0, 1}, bytes),
                      std::int64_t{role.entries} * bytes};
            command.table = &table_;
        } else if constexpr (std::is_same_v<Role, isa::roles::Constant>) {
            constant_ = static_cast<std::int32_t>(role.word);
            // An accumulator is stored as 64 bits.
            command.tensors[command.count++] = {constant_tensor(&constant_),
                                                isa::ElementType::kInt48};
        } else {
            static_assert(!Role::kIsTensor,
                          "forms.def: a role that element-wise commands on integers do not know");
        }
    }

    TypedCommand command;

 private:
    void tensor(isa::LocalAddr addr, const isa::Dim4& stride, isa::ElementType type) {
        command.tensors[command.count++] = {
            local_tensor(memory_, addr, stride, isa::element_bytes(type)), type};
    }

    LocalMemory& memory_;
    std::int64_t constant_ = 0;
    TypedTable table_;
};

template <typename Op>
void typed_step(const void* operation, const std::byte* table,
                const std::array<std::int64_t, kTypedChunk>* sources, std::int64_t* results,
                std::int64_t count) {
    const Op op = *static_cast<const Op*>(operation);
    for (std::int64_t i = 0; i < count; ++i) {
        const auto at = static_cast<std::size_t>(i);
        if constexpr (requires { op(sources[0][at], table); }) {
            results[i] = op(sources[0][at], table);
        } else if constexpr (Op::kSources == 1) {
            results[i] = op(sources[0][at]);
        } else if constexpr (Op::kSources == 2) {
            results[i] = op(sources[0][at], sources[1][at]);
        } else {
            results[i] = op(sources[0][at], sources[1][at], sources[2][at]);
        }
    }
}

/// Carries out an element-wise command on integers by the operation that its row names.
template <typename Form, typename Op>
void execute_typed(const isa::Command& command, LocalMemory& memory, LanePool& pool) {
    const Form form = command.as<Form>();
    TypedOperands operands(memory);
    form.visit(operands);
    operands.command.shape = form.shape;
    if constexpr (requires { form.saturates; }) operands.command.saturates = form.saturates != 0;
    const Op op(form);
    run_typed(operands.command, &op, &typed_step<Op>, memory.lanes(), pool);
}

}  // namespace okksim::models
