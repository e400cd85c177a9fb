// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

namespace okksim::kernels::prim {

/// Form of a value.
enum class ValueForm : std::uint8_t {
    kFloat8,   ///< one fp32 integer, |value| <= 2^8
    kFloat16,  ///< one fp32 integer, |value| <= 2^16
    kFloat24,  ///< one fp32 integer, |value| <= 2^24
    kInt32,    ///< a word
    kInt48,    ///< two words
};

}  // namespace okksim::kernels::prim
