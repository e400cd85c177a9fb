// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstdint>
#include <cstring>
#include <type_traits>

#include "isa/instructions.h"

namespace okksim::isa {

/// Position of a command in the stream of its kind of engine, counted from 1; 0 means "none".
using CommandId = std::uint32_t;

/// One command as the engines receive it: a fixed-size little-endian record. The struct *is* the
/// binary encoding (isa/codec.h adds file header and validation).
///
/// A command may start when the earlier commands of its engine have completed. All GDMA commands up
/// to `wait_gdma` and all BDC commands up to `wait_bdc` must also have completed. A machine may
/// have several engines of a kind. They share one stream of ids: a wait for id k covers every
/// command up to k on all engines of that kind.
struct Command {
    static constexpr int kOperandWords = isa::kOperandWords;

    Opcode opcode{};
    std::uint16_t instance = 0;  ///< which engine of its kind
    CommandId id = 0;            ///< per kind of engine, ascending by one
    CommandId wait_gdma = 0;
    CommandId wait_bdc = 0;
    std::array<std::uint32_t, kOperandWords> words{};

    bool operator==(const Command&) const = default;

    const InstructionInfo& info() const { return instruction(opcode); }

    /// Id of the last command of this kind of engine that the command waits for; 0 if none.
    CommandId wait(Engine kind) const {
        switch (kind) {
            case Engine::kGdma: return wait_gdma;
            case Engine::kBdc: return wait_bdc;
        }
        __builtin_unreachable();
    }
    void set_wait(Engine kind, CommandId until) {
        switch (kind) {
            case Engine::kGdma: wait_gdma = until; return;
            case Engine::kBdc: wait_bdc = until; return;
        }
    }

    /// The operands as the struct of the command's form. The caller knows the form.
    template <typename FormStruct>
    FormStruct as() const {
        static_assert(std::is_trivially_copyable_v<FormStruct>);
        static_assert(sizeof(FormStruct) <= sizeof(words));
        FormStruct operands;
        std::memcpy(static_cast<void*>(&operands), words.data(), sizeof operands);
        return operands;
    }

    template <typename FormStruct>
    static Command make(Opcode opcode, const FormStruct& operands) {
        static_assert(std::is_trivially_copyable_v<FormStruct>);
        static_assert(sizeof(FormStruct) <= sizeof(words));
        Command command;
        command.opcode = opcode;
        std::memcpy(command.words.data(), &operands, sizeof operands);
        return command;
    }
};
static_assert(sizeof(Command) == 16 + 4 * Command::kOperandWords);

/// Calls `visitor` with the operand struct of the command's form.
template <typename Visitor>
decltype(auto) visit_operands(const Command& command, Visitor&& visitor) {
    switch (command.info().form) {
#define OKKSIM_FORM(name) \
    case Form::k##name: return visitor(command.as<name>());
        OKKSIM_FORMS(OKKSIM_FORM)
#undef OKKSIM_FORM
    }
    __builtin_unreachable();
}

}  // namespace okksim::isa
