// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>

#include "firmware/watch/host_instruction.h"

namespace okksim::firmware {

/// Returns a mask of the first `count` bytes, at most 64.
constexpr std::uint64_t first_bytes(std::size_t count) {
    constexpr std::size_t kMost = 64;
    return count >= kMost ? ~std::uint64_t{0} : (std::uint64_t{1} << count) - 1;
}

/// The uninitialised bytes of a register, or of memory of that size: a bit for each.
struct UndefinedBytes {
    std::uint64_t maybe = 0;   ///< all other bytes are initialised
    std::uint64_t surely = 0;  ///< a subset of `maybe` that is certain

    UndefinedBytes first(std::size_t count) const {
        return {maybe & first_bytes(count), surely & first_bytes(count)};
    }
    UndefinedBytes from(std::size_t byte) const { return {maybe >> byte, surely >> byte}; }
    UndefinedBytes at(std::size_t byte) const { return {maybe << byte, surely << byte}; }
    /// Returns the union with `other`, which describes other bytes.
    UndefinedBytes with(const UndefinedBytes& other) const {
        return {maybe | other.maybe, surely | other.surely};
    }
    UndefinedBytes without(std::uint64_t bytes) const { return {maybe & ~bytes, surely & ~bytes}; }
};

#if OKKSIM_KNOWS_INSTRUCTIONS

/// The uninitialised bytes in the operands of an instruction.
class HeldBytes {
 public:
    virtual ~HeldBytes() = default;
    /// Returns the state of the first bytes of an operand. For a register, they may extend past the
    /// part that the instruction names.
    virtual UndefinedBytes of(const HostInstruction::Operand& operand, std::size_t bytes) const = 0;
};

/// Returns the uninitialised bytes that a move (HostInstruction::is_move) leaves in an operand that
/// it writes. Bytes of unknown moves may be uninitialised. They surely are if all bytes that the
/// instruction reads are.
UndefinedBytes moved(const HostInstruction& instruction,
                     const HostInstruction::Operand& destination, const HeldBytes& held);

#endif

}  // namespace okksim::firmware
