// SPDX-License-Identifier: Apache-2.0
#include "tests/reference/tosa/value.h"

#include <bit>
#include <cmath>
#include <cstring>
#include <limits>

#include "isa/base/errors.h"

namespace okksim::reference {
namespace {

using sim::graph::HostTensor;
using sim::graph::NpyArray;

template <typename T>
T load(const std::byte* from) {
    T value;
    std::memcpy(&value, from, sizeof value);
    return value;
}

template <typename T>
void store(std::byte* to, T value) {
    std::memcpy(to, &value, sizeof value);
}

struct Fields {
    int exponent_bits, fraction_bits;
};

Fields fields_of(DType type) {
    switch (type) {
        case DType::kFp32: return {8, 23};
        case DType::kFp16: return {5, 10};
        case DType::kBf16: return {8, 7};
        case DType::kFp8E4M3: return {4, 3};
        case DType::kFp8E5M2: return {5, 2};
        default: break;
    }
    OKKSIM_CHECK(false);
}

/// Value of a bit pattern, field by field.
double decode(DType type, std::uint32_t bits) {
    const auto [exponent_bits, fraction_bits] = fields_of(type);
    const std::uint32_t fraction = bits & ((1u << fraction_bits) - 1);
    const std::uint32_t top = (1u << exponent_bits) - 1;
    const std::uint32_t exponent = (bits >> fraction_bits) & top;
    const bool negative = ((bits >> (fraction_bits + exponent_bits)) & 1) != 0;
    const int bias = static_cast<int>(top >> 1);
    double magnitude;
    if (type == DType::kFp8E4M3 && exponent == top && fraction == 7) {
        magnitude = std::numeric_limits<double>::quiet_NaN();
    } else if (type != DType::kFp8E4M3 && exponent == top) {
        magnitude = fraction != 0 ? std::numeric_limits<double>::quiet_NaN()
                                  : std::numeric_limits<double>::infinity();
    } else if (exponent == 0) {
        magnitude = std::ldexp(static_cast<double>(fraction), 1 - bias - fraction_bits);
    } else {
        magnitude = std::ldexp(static_cast<double>(fraction | (1u << fraction_bits)),
                               static_cast<int>(exponent) - bias - fraction_bits);
    }
    return negative ? -magnitude : magnitude;
}

/// Bits of a value that the type holds exactly.
std::uint32_t encode(DType type, double value) {
    const auto [exponent_bits, fraction_bits] = fields_of(type);
    const std::uint32_t top = (1u << exponent_bits) - 1;
    const std::uint32_t sign = std::signbit(value) ? 1u << (exponent_bits + fraction_bits) : 0;
    if (std::isnan(value)) {
        return sign | top << fraction_bits |
               (type == DType::kFp8E4M3 ? 7u : 1u << (fraction_bits - 1));
    }
    if (std::isinf(value)) return sign | top << fraction_bits;
    if (value == 0) return sign;
    const int bias = static_cast<int>(top >> 1);
    const int exponent = std::max(std::ilogb(value), 1 - bias);
    const auto scaled =
        static_cast<std::uint32_t>(std::ldexp(std::abs(value), fraction_bits - exponent));
    // Below the smallest normal number the leading one is missing, so exponent 0 remains.
    return sign | (scaled + (static_cast<std::uint32_t>(exponent + bias - 1) << fraction_bits));
}

NpyArray double_array(const Shape& shape, const std::vector<double>& values) {
    auto owner = std::make_shared<const std::vector<double>>(values);
    return {"<f8", 8, shape, std::as_bytes(std::span(*owner)), owner};
}

}  // namespace

bool Value::is_float() const { return tosa::is_floating_point(type); }
std::int64_t Value::count() const { return elements(shape); }

std::int64_t elements(const Shape& shape) {
    std::int64_t product = 1;
    for (const std::int64_t extent : shape) product *= extent;
    return product;
}

std::vector<std::int64_t> strides_of(const Shape& shape) {
    std::vector<std::int64_t> strides(shape.size(), 1);
    for (std::size_t i = shape.size(); i-- > 1;) strides[i - 1] = strides[i] * shape[i];
    return strides;
}

void for_each_position(const Shape& shape,
                       const std::function<void(const Shape& index, std::int64_t flat)>& visit) {
    const std::int64_t count = elements(shape);
    Shape index(shape.size(), 0);
    for (std::int64_t flat = 0; flat < count; ++flat) {
        visit(index, flat);
        for (std::size_t i = shape.size(); i-- > 0;) {
            if (++index[i] < shape[i]) break;
            index[i] = 0;
        }
    }
}

Value make_value(DType type, const Shape& shape) {
    Value value;
    value.type = type;
    value.shape = shape;
    const auto count = static_cast<std::size_t>(value.count());
    if (value.is_float()) {
        value.real.resize(count);
    } else {
        value.integer.resize(count);
    }
    return value;
}

Value from_host(const HostTensor& tensor) {
    Value value = make_value(tensor.type, tensor.shape);
    const std::size_t bytes = sim::graph::host_element_bytes(tensor.type);
    for (std::size_t i = 0; i < static_cast<std::size_t>(value.count()); ++i) {
        const std::byte* at = tensor.data.data() + i * bytes;
        if (value.is_float()) {
            const std::uint32_t bits = bytes == 1   ? load<std::uint8_t>(at)
                                       : bytes == 2 ? load<std::uint16_t>(at)
                                                    : load<std::uint32_t>(at);
            value.real[i] = decode(tensor.type, bits);
        } else {
            value.integer[i] = bytes == 1   ? load<std::int8_t>(at)
                               : bytes == 2 ? load<std::int16_t>(at)
                               : bytes == 4 ? load<std::int32_t>(at)
                                            : load<std::int64_t>(at);
            if (tensor.type == DType::kBool) value.integer[i] = value.integer[i] != 0;
        }
    }
    return value;
}

HostTensor to_host(const Value& value) {
    const std::size_t bytes = sim::graph::host_element_bytes(value.type);
    const auto count = static_cast<std::size_t>(value.count());
    std::vector<std::byte> data(count * bytes);
    for (std::size_t i = 0; i < count; ++i) {
        const std::uint64_t bits = value.is_float()
                                       ? encode(value.type, round_to(value.type, value.real[i]))
                                       : static_cast<std::uint64_t>(value.integer[i]);
        std::byte* at = data.data() + i * bytes;
        switch (bytes) {
            case 1: store(at, static_cast<std::uint8_t>(bits)); break;
            case 2: store(at, static_cast<std::uint16_t>(bits)); break;
            case 4: store(at, static_cast<std::uint32_t>(bits)); break;
            default: store(at, bits); break;
        }
    }
    return sim::graph::make_host_tensor(value.type, value.shape, std::move(data));
}

NpyArray to_array(const Value& value) {
    if (value.is_float()) return double_array(value.shape, value.real);
    const HostTensor host = to_host(value);
    return {sim::graph::npy_descr(value.type), sim::graph::host_element_bytes(value.type),
            value.shape, host.data, host.owner};
}

NpyArray bound_array(const Value& value) {
    OKKSIM_CHECK(!value.bound.empty());
    return double_array(value.shape, value.bound);
}

Value least_value(const Value& value) {
    Value limit = make_value(value.type, value.shape);
    limit.integer = value.least;
    return limit;
}

Value most_value(const Value& value) {
    Value limit = make_value(value.type, value.shape);
    limit.integer = value.most;
    return limit;
}

FloatFormat float_format(DType type) {
    const auto [exponent_bits, fraction_bits] = fields_of(type);
    const int bias = (1 << (exponent_bits - 1)) - 1;
    if (type == DType::kFp8E4M3) return {fraction_bits, 1 - bias, 448.0};
    const double largest = std::ldexp(2.0 - std::ldexp(1.0, -fraction_bits), bias);
    return {fraction_bits, 1 - bias, largest};
}

double round_to(DType type, double x) {
    if (!std::isfinite(x) || x == 0) {
        if (type == DType::kFp8E4M3 && std::isinf(x)) {
            return std::copysign(std::numeric_limits<double>::quiet_NaN(), x);
        }
        return x;
    }
    const FloatFormat format = float_format(type);
    const int exponent = std::max(std::ilogb(x), format.lowest_exponent);
    // nearbyint rounds ties to even.
    const double rounded = std::ldexp(std::nearbyint(std::ldexp(x, format.fraction - exponent)),
                                      exponent - format.fraction);
    if (std::abs(rounded) <= format.largest) return rounded;
    const double beyond = type == DType::kFp8E4M3 ? std::numeric_limits<double>::quiet_NaN()
                                                  : std::numeric_limits<double>::infinity();
    return std::copysign(beyond, x);
}

}  // namespace okksim::reference
