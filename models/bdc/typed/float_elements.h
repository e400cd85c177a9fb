// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>

#include "isa/types.h"

namespace okksim::models {

constexpr bool is_floating_point(isa::ElementType type) {
    return type == isa::ElementType::kFp16 || type == isa::ElementType::kBf16 ||
           type == isa::ElementType::kFp32;
}

/// Returns the value of a floating-point element from its bits. Denormals of fp32 and bf16 are
/// zero, as everywhere in the machine.
double float_value(isa::ElementType type, std::uint32_t bits);

/// Returns the element nearest to a value, ties to even. NaN becomes canonical; denormals of fp32
/// and bf16 become zero.
std::uint32_t float_bits_of(isa::ElementType type, double value);

/// Fast conversions of 16-bit types; `value` is in fp32.
float half_value(isa::ElementType type, std::uint16_t bits);
std::uint16_t half_bits(isa::ElementType type, float value);
/// Convert contiguous elements.
void widen_halves(isa::ElementType type, const std::byte* from, std::int64_t count, float* to);
void narrow_halves(isa::ElementType type, const float* from, std::int64_t count, std::byte* to);

}  // namespace okksim::models
