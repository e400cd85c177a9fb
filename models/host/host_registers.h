// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

namespace okksim::models {

/// The chip's register block, by byte offset. Registers are 32-bit words, little-endian; accesses
/// are of whole words. The host writes PROGRAM and ARGUMENT_*, then anything to DOORBELL, and polls
/// STATUS until it is kDone or kFault. Pairs LOW, HIGH hold 64 bits.
namespace host_registers {
inline constexpr std::uint64_t kIdentity = 0x00;      ///< read: kIdentityValue
inline constexpr std::uint64_t kProgram = 0x04;       ///< number of an installed program, from 1
inline constexpr std::uint64_t kArgumentLow = 0x08;   ///< address of the argument block ...
inline constexpr std::uint64_t kArgumentHigh = 0x0C;  ///< ... a system address
inline constexpr std::uint64_t kArgumentBytes = 0x10;
inline constexpr std::uint64_t kDoorbell = 0x14;  ///< write: starts the program
inline constexpr std::uint64_t kStatus = 0x18;    ///< read: HostStatus
inline constexpr std::uint64_t kFault = 0x1C;     ///< read: 1 + FaultCode of the last program, or 0
inline constexpr std::uint64_t kStartLow = 0x20;  ///< read: first instruction of the last program,
inline constexpr std::uint64_t kStartHigh = 0x24;  ///< in picoseconds of simulated time
inline constexpr std::uint64_t kEndLow = 0x28;     ///< read: its end, all engines idle
inline constexpr std::uint64_t kEndHigh = 0x2C;
inline constexpr std::uint64_t kBytes = 0x30;  ///< size of the block

inline constexpr std::uint32_t kIdentityValue = 0x4F4B4B31;  ///< "OKK1"
}  // namespace host_registers

enum class HostStatus : std::uint32_t {
    kIdle = 0,  ///< nothing has run yet
    kBusy = 1,
    kDone = 2,
    kFault = 3,  ///< the program ended with a fault
};

}  // namespace okksim::models
