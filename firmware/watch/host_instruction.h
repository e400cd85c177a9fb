// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <ucontext.h>

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string_view>

#if defined(OKKSIM_ZYDIS) && defined(__x86_64__)
#include <Zydis/Zydis.h>
#define OKKSIM_KNOWS_INSTRUCTIONS 1
#else
#define OKKSIM_KNOWS_INSTRUCTIONS 0
#endif

#if OKKSIM_KNOWS_INSTRUCTIONS

namespace okksim::firmware {

/// Registers that hold values: the general ones, then the vectors.
constexpr std::size_t kGeneralRegisters = 16;
constexpr std::size_t kValueRegisters = kGeneralRegisters + 32;

/// Returns the number of a register among those; nothing if it holds no values.
std::optional<std::size_t> register_number(ZydisRegister name);

/// An interrupted instruction of an x86-64 host.
class HostInstruction {
 public:
    using Operand = ZydisDecodedOperand;
    /// Bytes of the program's own memory.
    struct Range {
        std::uintptr_t begin = 0, end = 0;
    };

    explicit HostInstruction(const ucontext_t& state);

    bool is_known() const { return is_known_; }
    std::size_t length() const { return instruction_.length; }
    /// The name without the v of wider vector forms.
    std::string_view name() const { return name_; }
    bool is_wide_form() const { return is_wide_form_; }
    bool is_nop() const;
    bool is_branch() const { return instruction_.meta.category == ZYDIS_CATEGORY_COND_BR; }
    /// Returns whether the instruction only copies what it reads, in whole or in parts.
    bool is_move() const;
    bool is_string_move() const {
        return instruction_.meta.category == ZYDIS_CATEGORY_STRINGOP && is_move();
    }
    /// Returns whether the instruction names a register twice and sets it to a fixed value, such as
    /// an xor.
    bool clears() const;

    template <typename Visitor>
    void for_each_operand(const Visitor& visit) const {
        for (std::size_t i = 0; i < instruction_.operand_count; ++i) visit(operands_[i]);
    }
    static bool reads(const Operand& operand) {
        return (operand.actions & ZYDIS_OPERAND_ACTION_MASK_READ) != 0;
    }
    static bool writes(const Operand& operand) {
        return (operand.actions & ZYDIS_OPERAND_ACTION_MASK_WRITE) != 0;
    }
    static bool is_register(const Operand& operand) {
        return operand.type == ZYDIS_OPERAND_TYPE_REGISTER;
    }
    static bool is_memory(const Operand& operand) {
        return operand.type == ZYDIS_OPERAND_TYPE_MEMORY;
    }
    static bool is_explicit(const Operand& operand) {
        return operand.visibility == ZYDIS_OPERAND_VISIBILITY_EXPLICIT;
    }
    /// Returns whether an operand is an implicit pointer to a stack or string.
    bool is_pointer(const Operand& operand) const;
    /// Returns the number of bytes that the instruction uses of an operand that it reads.
    std::size_t bytes_of(const Operand& operand) const;
    Range place_of(const Operand& operand) const;
    /// Returns the memory operand of a plain load; nullptr for other instructions.
    const Operand* plain_load() const;
    /// Returns an operand that the text of the instruction shows.
    const Operand& operand(std::size_t index) const { return operands_[index]; }
    std::size_t visible() const { return instruction_.operand_count_visible; }

 private:
    bool decodes(const ZydisDecoder& decoder, const void* code, std::size_t most);

    const ucontext_t& state_;
    bool is_known_ = false, is_wide_form_ = false;
    ZydisDecodedInstruction instruction_{};
    std::array<Operand, ZYDIS_MAX_OPERAND_COUNT> operands_{};
    std::string_view name_;
};

/// Carries out a plain load of `data` for the interrupted instruction and skips the instruction.
/// Returns false if the destination is not supported.
bool finish_load(ucontext_t& state, const HostInstruction& instruction,
                 std::span<const std::byte> data);

}  // namespace okksim::firmware

#endif
