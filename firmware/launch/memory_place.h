// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>

#include "firmware/launch/tensor_rows.h"
#include "isa/command.h"
#include "isa/tensors.h"

namespace okksim::firmware {

/// A byte of the machine's memory.
struct MemoryPlace {
    bool local = false;
    isa::LocalAddr local_address;
    std::uint64_t address = 0;  ///< when not local

    void move(std::uint64_t bytes) {
        if (local) {
            local_address.value += static_cast<std::uint32_t>(bytes);
        } else {
            address += bytes;
        }
    }
};

/// Bytes of global memory.
struct GlobalRange {
    std::uint64_t begin = 0;
    std::uint64_t end = 0;
};

/// A pointer into the machine's memory that the kernel has been given.
struct GivenPointer {
    const char* function = nullptr;
    const void* site = nullptr;  ///< where it has asked
    MemoryPlace place;
};

/// A pointer that an earlier launch has been given into memory that has been freed since, in whole
/// pages of the host's.
struct StalePointer {
    GivenPointer pointer;
    GlobalRange freed;
};

/// A command that the kernel has not waited for.
struct PendingCommand {
    isa::Command command;
    const void* site = nullptr;  ///< where the kernel has issued it
};

/// Returns whether a running command conflicts with the use of a byte. The result is nothing if
/// there is no conflict. It is true if the command writes the byte, and false if it reads a byte
/// that the kernel stores to.
inline std::optional<bool> early_use(const isa::Command& command, const MemoryPlace& place,
                                     bool stores, const isa::MachineShape& machine) {
    for (const isa::TensorView& view : isa::tensor_views(command, machine)) {
        if (view.local != place.local) continue;
        if (view.access == isa::Access::kRead && !stores) continue;
        const bool holds = view.local ? holds_byte(view, place.local_address, machine)
                                      : holds_byte(view, place.address);
        if (holds) return view.access != isa::Access::kRead;
    }
    return std::nullopt;
}

}  // namespace okksim::firmware
