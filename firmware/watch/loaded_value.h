// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <ucontext.h>

#include <array>
#include <cstddef>
#include <cstdint>

#include "firmware/watch/moved_bytes.h"

namespace okksim::firmware {

/// Follows uninitialised bytes that instructions have loaded, through registers and the program's
/// memory, until an instruction uses them. A copy is no use. The class works on x86-64 with Zydis,
/// a library that decodes its instructions; elsewhere it follows nothing. One thread uses it in
/// signal handlers, so it allocates nothing.
class LoadedValue {
 public:
    enum class Fate : std::uint8_t {
        kCarried,  ///< a register or memory holds it
        kUsed,     ///< a result, an address, a condition or an argument depends on it
        kGone,     ///< no byte of it is left
    };

    /// Returns the number of bytes that the interrupted instruction loads; 0 if it is unknown.
    static std::size_t loaded_bytes(const ucontext_t& state);
    /// Returns the number of loaded bytes with which the instruction computes; 0 for a plain copy.
    static std::size_t used_bytes(const ucontext_t& state);
    /// Returns the number of bytes that the interrupted instruction stores; 0 if it is unknown or
    /// the instruction repeats itself.
    static std::size_t stored_bytes(const ucontext_t& state);

    /// The interrupted instruction is about to load another value that is to be followed.
    /// `undefined` has a bit for each uninitialised byte, the first one lowest.
    Fate load(const ucontext_t& state, std::uint64_t undefined);
    /// The interrupted instruction is about to be carried out.
    Fate step(const ucontext_t& state);
    /// The uninitialised bytes that the last instruction seen by step() stores.
    std::uint64_t stored_by(const void* instruction) const {
        return instruction != nullptr && instruction == storing_ ? stored_ : 0;
    }
    void forget() { *this = LoadedValue(); }

 private:
    static constexpr std::size_t kRegisters = 48;  ///< the general ones, then the vectors

    /// Bytes of the program's own memory that hold followed values.
    struct Slot {
        std::uintptr_t begin = 0, end = 0;
        UndefinedBytes bytes;
    };
    class Held;

    bool holds_any() const;
#if OKKSIM_KNOWS_INSTRUCTIONS
    bool takes(const HostInstruction& instruction) const;
    bool passes_arguments() const;
    bool is_address_of(const HostInstruction& instruction) const;
    void carry(const HostInstruction& instruction, bool takes_any, const void* code);
    void write_register(const HostInstruction::Operand& operand, const UndefinedBytes& value);
    void write_memory(const HostInstruction& instruction, const HostInstruction::Operand& operand,
                      const UndefinedBytes& value);
    void note_arguments(const HostInstruction& instruction, bool moves);
#endif

    std::array<UndefinedBytes, kRegisters> registers_{};
    /// Registers that hold a value since the last branch and have not stored it. They are the
    /// arguments of a call if it takes arguments from them.
    std::uint64_t arguments_ = 0;
    std::array<Slot, 32> slots_{};
    std::size_t next_slot_ = 0;
    const void* storing_ = nullptr;
    std::uint64_t stored_ = 0;
    const void* module_ = nullptr;   ///< module of the code that has loaded them
    std::uintptr_t known_page_ = 0;  ///< page of that module
};

}  // namespace okksim::firmware
