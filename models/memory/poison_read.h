// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>

namespace okksim::models {

/// A read of uninitialised memory: the first such location of a command.
struct PoisonRead {
    const char* operand = nullptr;  ///< API name of the address operand
    bool local = true;
    std::int32_t lane = 0;      ///< when local
    std::int64_t offset = 0;    ///< when local: byte in the lane
    std::uint64_t address = 0;  ///< when not local
    bool is_stale = false;      ///< an earlier launch has written it

    /// Text such as: "src0_addr reads lane 3, byte 0x40, which is uninitialised".
    std::string message() const;
    /// "which is uninitialised", or the reason for memory that an earlier launch has written.
    static const char* reason(bool is_stale);
};

/// True if all bytes equal the poison of fresh memory.
bool all_poison(const std::byte* data, std::int64_t bytes);

}  // namespace okksim::models
