// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <cstring>
#include <vector>

#include "kernels/tosa/attributes.h"

namespace okksim::tests {

/// The bits of a number that fp16 or bf16 holds exactly, and that is no denormal of it.
inline std::uint16_t half_bits(tosa::DType type, float number) {
    std::uint32_t word = 0;
    std::memcpy(&word, &number, sizeof word);
    if (type == tosa::DType::kBf16 || number == 0) return static_cast<std::uint16_t>(word >> 16);
    // Exponents differ by 127 - 15.
    return static_cast<std::uint16_t>((word >> 16 & 0x8000u) |
                                      (((word & 0x7FFFFFFFu) - (112u << 23)) >> 13));
}

/// Such numbers, or fp32, as a tensor of the type stores them.
inline std::vector<std::byte> float_bytes(tosa::DType type, const std::vector<float>& numbers) {
    const bool is_word = type == tosa::DType::kFp32;
    const std::size_t size = is_word ? sizeof(float) : sizeof(std::uint16_t);
    std::vector<std::byte> bytes(numbers.size() * size);
    for (std::size_t i = 0; i < numbers.size(); ++i) {
        const std::uint16_t half = half_bits(type, numbers[i]);
        if (is_word) {
            std::memcpy(&bytes[i * size], &numbers[i], size);
        } else {
            std::memcpy(&bytes[i * size], &half, size);
        }
    }
    return bytes;
}

/// One of them as an attribute.
inline tosa::ElementBytes float_element(tosa::DType type, float number) {
    const std::vector<std::byte> bytes = float_bytes(type, {number});
    tosa::ElementBytes element;
    std::memcpy(element.bytes.data(), bytes.data(), bytes.size());
    element.size = static_cast<std::uint32_t>(bytes.size());
    return element;
}

}  // namespace okksim::tests
