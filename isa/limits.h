// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

namespace okksim::isa {

// Largest values that the fields of a command hold (API reference); the same on every machine.
inline constexpr std::int32_t kMostBatch = 65535;
inline constexpr std::int32_t kMostChannels = 4095;
inline constexpr std::int32_t kMostExtent = 65535;        ///< h and w of element-wise commands
inline constexpr std::int32_t kMostWindowExtent = 2047;   ///< h and w of windows, padded
inline constexpr std::int32_t kMostColsPerChannel = 128;  ///< of a matrix product's operands
inline constexpr std::int32_t kMostPadding = 15;
inline constexpr std::int32_t kMostStep = 15;  ///< stride and dilation of windows

// Entries of the tables of lookup commands (TOSA 1.0.1, 2.5.17).
inline constexpr std::int32_t kByteTableEntries = 256;
inline constexpr std::int32_t kInterpolatedTableEntries = 513;

/// Largest size that the model accepts beyond a limit of the reference. Sums of a few sizes fit 32
/// bits.
inline constexpr std::int32_t kMostModelled = 1 << 20;

}  // namespace okksim::isa
