// SPDX-License-Identifier: Apache-2.0
#include "sim/execution/random_input.h"

#include <cstring>
#include <random>

#include "isa/errors.h"
#include "sim/check/float_format.h"

namespace okksim::sim::execution {
namespace {

/// A number between 1/16 and 1 of either sign, in the type's encoding.
std::uint32_t random_float_bits(graph::DType type, std::mt19937_64& random) {
    constexpr std::uint32_t kOctaves = 4;
    const int mantissa_bits = check::float_format(type).fraction_bits;
    const int exponent_bits = tosa::storage_bits(type) - 1 - mantissa_bits;
    const std::uint64_t bits = random();
    const std::uint32_t bias = (1u << (exponent_bits - 1)) - 1;
    const std::uint32_t sign = static_cast<std::uint32_t>(bits & 1);
    const std::uint32_t exponent = bias - 1 - static_cast<std::uint32_t>(bits >> 1) % kOctaves;
    const std::uint32_t mantissa =
        static_cast<std::uint32_t>(bits >> 32) & ((1u << mantissa_bits) - 1);
    return (((sign << exponent_bits) | exponent) << mantissa_bits) | mantissa;
}

std::int64_t random_element(graph::DType type, std::mt19937_64& random) {
    switch (type) {
        case graph::DType::kBool: return static_cast<std::int64_t>(random() & 1);
        case graph::DType::kI4: return static_cast<std::int64_t>(random() % 15) - 7;
        case graph::DType::kI8:
        case graph::DType::kI16:
        case graph::DType::kI32:
        case graph::DType::kI48:
        case graph::DType::kShape: return static_cast<std::int64_t>(random() % 256) - 128;
        case graph::DType::kFp32:
        case graph::DType::kFp16:
        case graph::DType::kBf16:
        case graph::DType::kFp8E4M3:
        case graph::DType::kFp8E5M2: return random_float_bits(type, random);
        case graph::DType::kUnknown: break;
    }
    OKKSIM_CHECK(false);
    return 0;
}

}  // namespace

graph::HostTensor random_input(graph::DType type, const graph::Shape& shape, std::uint64_t seed) {
    std::mt19937_64 random(seed);
    const std::size_t bytes = graph::host_element_bytes(type);
    const std::uint64_t count = graph::element_count(shape).value();
    std::vector<std::byte> data(count * bytes);
    for (std::uint64_t i = 0; i < count; ++i) {
        const std::int64_t value = random_element(type, random);
        std::memcpy(data.data() + i * bytes, &value, bytes);
    }
    return graph::make_host_tensor(type, shape, std::move(data));
}

}  // namespace okksim::sim::execution
