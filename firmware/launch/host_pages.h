// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <sys/mman.h>
#include <ucontext.h>
#include <unistd.h>

#include <cstdint>
#include <initializer_list>
#include <optional>

namespace okksim::firmware {

// Services of the host for watches of memory: access rights of pages, and single steps.

inline std::uintptr_t page_bytes() {
    static const auto bytes = static_cast<std::uintptr_t>(sysconf(_SC_PAGESIZE));
    return bytes;
}
inline std::uintptr_t page_of(std::uintptr_t address) {
    return address / page_bytes() * page_bytes();
}
inline void protect(std::uintptr_t begin, std::uintptr_t end, int access) {
    mprotect(reinterpret_cast<void*>(begin), end - begin, access);
}

/// Returns whether a store has caused a fault; nothing where the host does not report it.
inline std::optional<bool> is_store(const ucontext_t& state) {
#if defined(__x86_64__)
    constexpr greg_t kWrite = 2;
    return (state.uc_mcontext.gregs[REG_ERR] & kWrite) != 0;
#else
    static_cast<void>(state);
    return std::nullopt;
#endif
}

/// Returns the most bytes that an instruction may store from the address of its fault. For an
/// instruction that repeats itself, that is a page.
inline std::uintptr_t most_stored_by(const void* instruction) {
    constexpr std::uintptr_t kMost = 64;
#if defined(__x86_64__)
    const auto* at = static_cast<const std::uint8_t*>(instruction);
    const auto is_one_of = [&](std::initializer_list<int> codes) {
        for (const int code : codes) {
            if (*at == code) return true;
        }
        return false;
    };
    int repeats = 0;    // the prefix of scalars, too
    int extension = 0;  // REX
    for (; is_one_of({0xF2, 0xF3, 0x66, 0x67, 0x26, 0x2E, 0x36, 0x3E, 0x64, 0x65, 0xF0}); ++at) {
        if (is_one_of({0xF2, 0xF3})) repeats = *at;
    }
    if ((*at & 0xF0) == 0x40) extension = *at++;
    if (is_one_of({0x62})) return kMost;                                           // EVEX
    if (is_one_of({0xC4, 0xC5})) return kMost / 2;                                 // VEX
    if (repeats != 0 && is_one_of({0xA4, 0xA5, 0xAA, 0xAB})) return page_bytes();  // movs, stos
    if (is_one_of({0x0F})) {
        const bool is_scalar = repeats != 0 && at[1] == 0x11;  // movss, movsd
        return !is_scalar ? kMost / 4 : repeats == 0xF3 ? 4 : 8;
    }
    if ((*at & 0xF8) == 0xD8) return kMost / 4;  // x87
    return (extension & 8) != 0 ? 8 : 4;
#else
    static_cast<void>(instruction);
    return kMost;
#endif
}

/// Makes the host stop after the next instruction (SIGTRAP), or not. Returns false if the host
/// cannot do that.
inline bool set_stepping(ucontext_t& state, bool stepping) {
#if defined(__x86_64__)
    constexpr greg_t kTrap = 0x100;
    greg_t& flags = state.uc_mcontext.gregs[REG_EFL];
    flags = stepping ? flags | kTrap : flags & ~kTrap;
    return true;
#else
    static_cast<void>(state);
    static_cast<void>(stepping);
    return false;
#endif
}

}  // namespace okksim::firmware
