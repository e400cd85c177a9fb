// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <ucontext.h>

#include <array>
#include <cstddef>
#include <cstdint>

namespace okksim::firmware {

/// Follows values that instructions have loaded, in registers and in the program's own memory, from
/// instruction to instruction, until something is made of them: copying is no use. Of x86-64, where
/// the build has a library that knows its instructions (Zydis); elsewhere nothing is followed. For
/// one thread, in handlers of signals: allocates nothing.
class LoadedValue {
 public:
    enum class Fate : std::uint8_t {
        kCarried,  ///< it lies somewhere
        kUsed,     ///< a result, an address, a condition or an argument is made of it
        kGone,     ///< nothing is left of it
    };

    /// How many bytes the interrupted instruction loads; 0: unknown.
    static std::size_t loaded_bytes(const ucontext_t& state);
    /// Likewise, that it stores; 0 also when it repeats itself.
    static std::size_t stored_bytes(const ucontext_t& state);

    /// The interrupted instruction is about to load a value that is to be followed, beside what
    /// already is. `whole`: all of its bytes are undefined.
    Fate load(const ucontext_t& state, bool whole);
    /// The interrupted instruction is about to be carried out.
    Fate step(const ucontext_t& state);
    /// Whether the instruction, the last that step() has seen, stores nothing but undefined bytes.
    bool is_stored_by(const void* instruction) const {
        return is_whole_ && instruction != nullptr && instruction == storing_;
    }
    void forget() { *this = LoadedValue(); }

 private:
    /// Bytes of the program's own memory that hold followed values.
    struct Slot {
        std::uintptr_t begin = 0, end = 0;
    };
    class Reading;

    /// Registers as bits: the general ones, then the vectors.
    std::uint64_t registers_ = 0;
    /// Those of them that hold a value since the last branch and have not stored it: where a call
    /// takes its arguments from, they are some.
    std::uint64_t arguments_ = 0;
    std::array<Slot, 32> slots_{};
    std::size_t next_slot_ = 0;
    bool is_whole_ = true;
    const void* storing_ = nullptr;
    const void* module_ = nullptr;   ///< of the code that has loaded them
    std::uintptr_t known_page_ = 0;  ///< of the module
};

}  // namespace okksim::firmware
