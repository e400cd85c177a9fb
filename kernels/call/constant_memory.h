// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <functional>
#include <span>
#include <vector>

namespace okksim::kernels {

/// Host memory in which constants are prepared before a graph runs (prepared_constants.h). Nothing
/// here runs on the chip or takes simulated time.
struct ConstantMemory {
    /// Returns the bytes of a constant at its address in the plan. They are valid until preparing
    /// ends.
    std::function<const unsigned char*(std::uint64_t address, std::uint64_t bytes)> read;
    /// Receives prepared bytes and their address in global memory.
    std::function<void(std::uint64_t address, std::span<const std::byte> bytes)> write;

    template <typename Value>
    void write_values(std::uint64_t address, const std::vector<Value>& values) const {
        if (!values.empty()) write(address, std::as_bytes(std::span(values)));
    }
};

/// The value of type `Value` at the beginning of `bytes`.
template <typename Value>
Value stored_value(const unsigned char* bytes) {
    Value value;
    std::memcpy(&value, bytes, sizeof value);
    return value;
}

}  // namespace okksim::kernels
