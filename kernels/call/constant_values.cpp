// SPDX-License-Identifier: Apache-2.0
#include "kernels/call/constant_values.h"

#include <bit>
#include <cmath>
#include <cstring>

#include "firmware/okk.h"
#include "firmware/okk_access.h"
#include "isa/base/errors.h"

namespace okksim::kernels {
namespace {

/// Value of the element at `bytes`.
template <typename Stored>
Stored load(const unsigned char* bytes) {
    Stored value;
    std::memcpy(&value, bytes, sizeof value);
    return value;
}

/// The bytes of a tensor's first `count` elements, at least one, loaded by the control processor.
const unsigned char* load_elements(const DeviceTensor& tensor, std::size_t count) {
    OKKSIM_CHECK(is_row_major(tensor));
    OKKSIM_CHECK(count <= static_cast<std::size_t>(tensor.count()));
    if (!tensor.constant) okk_poll();
    return okk_load_addr(tensor.address,
                         count * static_cast<std::size_t>(stored_bytes(tensor.type)));
}

std::int64_t integer_at(tosa::DType type, const unsigned char* bytes) {
    switch (type) {
        case tosa::DType::kBool:
        case tosa::DType::kI4:
        case tosa::DType::kI8: return load<std::int8_t>(bytes);
        case tosa::DType::kI16: return load<std::int16_t>(bytes);
        case tosa::DType::kI32: return load<std::int32_t>(bytes);
        case tosa::DType::kI48:
        case tosa::DType::kShape: return load<std::int64_t>(bytes);
        case tosa::DType::kFp8E4M3:
        case tosa::DType::kFp8E5M2:
        case tosa::DType::kFp16:
        case tosa::DType::kBf16:
        case tosa::DType::kFp32:
        case tosa::DType::kUnknown: break;
    }
    OKKSIM_CHECK(false);
}

void decode(tosa::DType type, const unsigned char* element, std::span<std::int64_t> values) {
    for (std::int64_t& value : values) {
        value = integer_at(type, element);
        element += stored_bytes(type);
    }
}

std::uint32_t little_endian(const tosa::ElementBytes& element, int bytes) {
    std::uint32_t bits = 0;
    for (int i = 0; i < bytes; ++i) {
        bits |= static_cast<std::uint32_t>(element.bytes[static_cast<std::size_t>(i)]) << (8 * i);
    }
    return bits;
}

float decode_fp16(std::uint32_t bits) {
    const int exponent = static_cast<int>((bits >> 10) & 31);
    const auto fraction = static_cast<float>(bits & 1023);
    float magnitude =
        exponent == 0 ? std::ldexp(fraction, -24) : std::ldexp(1024.0f + fraction, exponent - 25);
    if (exponent == 31) magnitude = INFINITY;  // a bound is never NaN
    return (bits & 0x8000u) != 0 ? -magnitude : magnitude;
}

}  // namespace

void read_values(const DeviceTensor& tensor, std::span<std::int64_t> values) {
    if (values.empty()) return;
    decode(tensor.type, load_elements(tensor, values.size()), values);
}

std::vector<std::int64_t> integer_values(tosa::DType type, std::span<const std::byte> bytes,
                                         std::size_t count) {
    OKKSIM_CHECK(count * static_cast<std::size_t>(stored_bytes(type)) <= bytes.size());
    std::vector<std::int64_t> values(count);
    decode(type, reinterpret_cast<const unsigned char*>(bytes.data()), values);
    return values;
}

void read_bits(const DeviceTensor& tensor, std::span<std::uint32_t> bits) {
    if (bits.empty()) return;
    const unsigned char* element = load_elements(tensor, bits.size());
    const int bytes = stored_bytes(tensor.type);
    for (std::uint32_t& value : bits) {
        value = bytes == 1   ? load<std::uint8_t>(element)
                : bytes == 2 ? load<std::uint16_t>(element)
                             : load<std::uint32_t>(element);
        element += bytes;
    }
}

std::vector<std::int64_t> all_values(const DeviceTensor& tensor) {
    std::vector<std::int64_t> values(static_cast<std::size_t>(tensor.count()));
    read_values(tensor, values);
    return values;
}

std::int64_t zero_point(const DeviceTensor& tensor) {
    if (tosa::is_floating_point(tensor.type)) return 0;
    std::int64_t value = 0;
    read_values(tensor, {&value, 1});
    return value;
}

float float_value(const tosa::ElementBytes& element, tosa::DType type) {
    const std::uint32_t bits = little_endian(element, stored_bytes(type));
    if (type == tosa::DType::kFp16) return decode_fp16(bits);
    if (type == tosa::DType::kBf16) return std::bit_cast<float>(bits << 16);
    OKKSIM_CHECK(type == tosa::DType::kFp32);
    return std::bit_cast<float>(bits);
}

int integer_value(const tosa::ElementBytes& element, tosa::DType type) {
    const std::uint32_t bits = little_endian(element, stored_bytes(type));
    if (type == tosa::DType::kI8) return static_cast<std::int8_t>(bits);
    OKKSIM_CHECK(type == tosa::DType::kI16);
    return static_cast<std::int16_t>(bits);
}

prim::NanMode nan_mode(tosa::NanPropagationMode mode) {
    return mode == tosa::NanPropagationMode::kIgnore ? prim::NanMode::kIgnore
                                                     : prim::NanMode::kPropagate;
}

}  // namespace okksim::kernels
