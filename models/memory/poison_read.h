// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>

namespace okksim::models {

/// A read of memory that nobody has written: the first such place of a command.
struct PoisonRead {
    const char* operand = nullptr;  ///< API name of the address operand
    bool local = true;
    std::int32_t lane = 0;      ///< when local
    std::int64_t offset = 0;    ///< when local: byte in the lane
    std::uint64_t address = 0;  ///< when not local

    /// "src0_addr reads lane 3, byte 0x40, which nobody has written".
    std::string message() const;
};

/// Whether all bytes look as fresh memory does.
bool all_poison(const std::byte* data, std::int64_t bytes);

}  // namespace okksim::models
