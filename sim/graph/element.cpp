// SPDX-License-Identifier: Apache-2.0
#include "sim/graph/element.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstring>
#include <limits>

#include "isa/base/errors.h"

namespace okksim::sim::graph {

namespace {

/// Decodes a format with sign, exponent and fraction. With `is_ieee`, the all-ones exponent is
/// infinity or NaN; otherwise it is an ordinary exponent.
double decode(std::uint32_t bits, int exponent_bits, int fraction_bits, bool is_ieee) {
    const std::uint32_t exponent_mask = (1U << exponent_bits) - 1;
    const std::uint32_t fraction = bits & ((1U << fraction_bits) - 1);
    const std::uint32_t exponent = (bits >> fraction_bits) & exponent_mask;
    const double sign = (bits >> (exponent_bits + fraction_bits)) & 1U ? -1.0 : 1.0;
    const int bias = (1 << (exponent_bits - 1)) - 1;
    if (is_ieee && exponent == exponent_mask) {
        return fraction == 0 ? sign * std::numeric_limits<double>::infinity()
                             : std::copysign(std::numeric_limits<double>::quiet_NaN(), sign);
    }
    if (exponent == 0) return sign * std::ldexp(fraction, 1 - bias - fraction_bits);
    return sign * std::ldexp(fraction + (1U << fraction_bits),
                             static_cast<int>(exponent) - bias - fraction_bits);
}

/// The inverse of decode(); rounds to nearest even.
std::uint32_t encode(double value, int exponent_bits, int fraction_bits, bool is_ieee) {
    const std::uint32_t sign = std::signbit(value) ? 1U << (exponent_bits + fraction_bits) : 0U;
    const std::uint32_t exponent_mask = (1U << exponent_bits) - 1;
    const int bias = (1 << (exponent_bits - 1)) - 1;
    const std::uint32_t infinity = exponent_mask << fraction_bits;
    const std::uint32_t nan =
        is_ieee ? infinity | 1U << (fraction_bits - 1) : infinity | ((1U << fraction_bits) - 1);
    if (std::isnan(value)) return sign | nan;
    const double magnitude = std::fabs(value);
    if (std::isinf(value)) return sign | (is_ieee ? infinity : nan);
    if (magnitude == 0.0) return sign;
    // Units of the last fraction bit at this magnitude. nearbyint rounds to even, and a carry into
    // the next power of two gives the right pattern.
    const int exponent = std::max(std::ilogb(magnitude), 1 - bias);
    const double steps = std::nearbyint(std::ldexp(magnitude, fraction_bits - exponent));
    const std::uint64_t pattern =
        (static_cast<std::uint64_t>(exponent + bias - 1) << fraction_bits) +
        static_cast<std::uint64_t>(steps);
    const std::uint64_t largest = is_ieee ? infinity - 1 : nan - 1;
    if (pattern > largest) return sign | (is_ieee ? infinity : nan);
    return sign | static_cast<std::uint32_t>(pattern);
}

/// Loads a little-endian integer of `bytes` bytes, zero-extended.
std::uint64_t load(std::span<const std::byte> data, std::uint64_t offset, int bytes) {
    OKKSIM_CHECK(offset + static_cast<std::uint64_t>(bytes) <= data.size());
    std::uint64_t value = 0;
    for (int i = 0; i < bytes; ++i) {
        value |= std::to_integer<std::uint64_t>(data[offset + static_cast<std::uint64_t>(i)])
                 << (8 * i);
    }
    return value;
}

std::int64_t sign_extend(std::uint64_t value, int bits) {
    const int unused = 64 - bits;
    return static_cast<std::int64_t>(value << unused) >> unused;
}

}  // namespace

double decode_float(DType type, std::uint32_t bits) {
    switch (type) {
        case DType::kFp32: return static_cast<double>(std::bit_cast<float>(bits));
        case DType::kBf16: return static_cast<double>(std::bit_cast<float>(bits << 16));
        case DType::kFp16: return decode(bits & 0xFFFFU, 5, 10, true);
        case DType::kFp8E5M2: return decode(bits & 0xFFU, 5, 2, true);
        case DType::kFp8E4M3:
            if ((bits & 0x7FU) == 0x7FU) {
                return std::copysign(std::numeric_limits<double>::quiet_NaN(),
                                     (bits & 0x80U) != 0 ? -1.0 : 1.0);
            }
            return decode(bits & 0xFFU, 4, 3, false);
        case DType::kUnknown:
        case DType::kBool:
        case DType::kI4:
        case DType::kI8:
        case DType::kI16:
        case DType::kI32:
        case DType::kI48:
        case DType::kShape: break;
    }
    OKKSIM_CHECK(!"decode_float takes floating-point types");
    return 0.0;
}

std::uint32_t encode_float(DType type, double value) {
    switch (type) {
        case DType::kFp32: return encode(value, 8, 23, true);
        case DType::kBf16: return encode(value, 8, 7, true);
        case DType::kFp16: return encode(value, 5, 10, true);
        case DType::kFp8E5M2: return encode(value, 5, 2, true);
        case DType::kFp8E4M3: return encode(value, 4, 3, false);
        case DType::kUnknown:
        case DType::kBool:
        case DType::kI4:
        case DType::kI8:
        case DType::kI16:
        case DType::kI32:
        case DType::kI48:
        case DType::kShape: break;
    }
    OKKSIM_CHECK(!"encode_float takes floating-point types");
    return 0;
}

std::vector<std::byte> pack_integers(DType type, std::span<const std::int64_t> values) {
    std::vector<std::byte> bytes(storage_bytes(type, values.size()));
    if (bytes.empty()) return bytes;  // no values, or a type that the file does not specify
    const auto size = static_cast<std::size_t>(storage_bits(type)) / 8;
    for (std::size_t i = 0; i < values.size(); ++i) {
        if (type == DType::kI4) {
            const auto nibble = static_cast<std::byte>(values[i] & 0x0F);
            bytes[i / 2] |= i % 2 == 0 ? nibble : nibble << 4;
        } else {
            std::memcpy(bytes.data() + i * size, &values[i], size);  // little-endian host
        }
    }
    return bytes;
}

std::int64_t integer_element(std::span<const std::byte> data, DType type, std::uint64_t index) {
    if (type == DType::kBool) return load(data, index, 1) != 0 ? 1 : 0;
    if (type == DType::kI4) return sign_extend(load(data, index / 2, 1) >> (4 * (index % 2)), 4);
    OKKSIM_CHECK(is_integer(type) || type == DType::kShape);
    const int bits = storage_bits(type);
    return sign_extend(load(data, index * static_cast<std::uint64_t>(bits / 8), bits / 8), bits);
}

std::uint32_t float_bits_element(std::span<const std::byte> data, DType type, std::uint64_t index) {
    OKKSIM_CHECK(is_floating_point(type));
    const int bytes = storage_bits(type) / 8;
    return static_cast<std::uint32_t>(load(data, index * static_cast<std::uint64_t>(bytes), bytes));
}

std::int64_t integer_element(const ConstantData& data, DType type, std::uint64_t index) {
    if (const RepeatedElement* all = data.repeated()) {
        return integer_element(all->element(), type, 0);
    }
    return integer_element(data.bytes(), type, index);
}

std::uint64_t distinct_elements(const ConstantData& data, std::uint64_t count) {
    return data.repeated() == nullptr ? count : std::min<std::uint64_t>(count, 1);
}

std::vector<std::int64_t> integer_values(const Tensor& tensor) {
    OKKSIM_CHECK(tensor.has_data);
    const std::uint64_t count = element_count(tensor.shape).value_or(0);
    std::vector<std::int64_t> values(count);
    for (std::uint64_t i = 0; i < count; ++i) {
        values[i] = integer_element(tensor.data, tensor.type, i);
    }
    return values;
}

}  // namespace okksim::sim::graph
