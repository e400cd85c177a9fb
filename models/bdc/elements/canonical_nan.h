// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <bit>
#include <cstdint>

namespace okksim::models::bdc {

/// The one NaN that arithmetic instructions store, so that bytes do not depend on which operand's
/// payload the host happens to propagate.
inline constexpr std::uint32_t kCanonicalNanBits = 0x7FC00000u;

inline float canonical_nan(float value) {
    return value != value ? std::bit_cast<float>(kCanonicalNanBits) : value;
}

}  // namespace okksim::models::bdc
