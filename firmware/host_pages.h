// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <sys/mman.h>
#include <ucontext.h>
#include <unistd.h>

#include <cstdint>
#include <optional>

namespace okksim::firmware {

// What watches of memory ask of the host: access to pages, and instruction by instruction.

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

/// Whether a fault came of a store; nothing where the host does not say.
inline std::optional<bool> is_store(const ucontext_t& state) {
#if defined(__x86_64__)
    constexpr greg_t kWrite = 2;
    return (state.uc_mcontext.gregs[REG_ERR] & kWrite) != 0;
#else
    static_cast<void>(state);
    return std::nullopt;
#endif
}

/// Has the host stop (SIGTRAP) behind the next instruction, or not; false where it cannot.
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
