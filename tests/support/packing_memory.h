// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstring>

#include "kernels/call/constant_memory.h"
#include "models/memory/system_memory.h"

namespace okksim::tests {

/// A test's memory as the one in which the host prepares constants (prepared_constants.h).
inline kernels::ConstantMemory packing_memory(models::SystemMemory& memory) {
    return {[&memory](std::uint64_t address, std::uint64_t bytes) {
                return reinterpret_cast<const unsigned char*>(memory.pointer(address, bytes));
            },
            [&memory](std::uint64_t address, std::span<const std::byte> bytes) {
                std::memcpy(memory.pointer(address, bytes.size()), bytes.data(), bytes.size());
            }};
}

}  // namespace okksim::tests
