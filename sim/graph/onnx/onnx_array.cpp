// SPDX-License-Identifier: Apache-2.0
#include "sim/graph/onnx/onnx_array.h"

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <cstring>
#include <limits>

#include "sim/graph/element.h"

namespace okksim::sim::graph::onnx {

namespace {

/// Properties of an element type. `bits` counts bits of integers.
struct TypeRow {
    std::string_view name;
    std::uint8_t bytes;
    std::uint8_t bits;
    bool is_real;
    bool is_unsigned;
    DType device;
};

constexpr std::array<TypeRow, 23> kTypes{{
    {"undefined", 0, 0, false, false, DType::kUnknown},
    {"float", 4, 0, true, false, DType::kFp32},
    {"uint8", 1, 8, false, true, DType::kI8},
    {"int8", 1, 8, false, false, DType::kI8},
    {"uint16", 2, 16, false, true, DType::kI32},
    {"int16", 2, 16, false, false, DType::kI16},
    {"int32", 4, 32, false, false, DType::kI32},
    {"int64", 8, 64, false, false, DType::kI32},
    {"string", 0, 0, false, false, DType::kUnknown},
    {"bool", 1, 0, false, false, DType::kBool},
    {"float16", 2, 0, true, false, DType::kFp16},
    {"double", 8, 0, true, false, DType::kUnknown},
    {"uint32", 4, 32, false, true, DType::kI32},
    {"uint64", 8, 64, false, true, DType::kI32},
    {"complex64", 0, 0, false, false, DType::kUnknown},
    {"complex128", 0, 0, false, false, DType::kUnknown},
    {"bfloat16", 2, 0, true, false, DType::kBf16},
    {"float8e4m3fn", 1, 0, true, false, DType::kFp8E4M3},
    {"float8e4m3fnuz", 0, 0, true, false, DType::kUnknown},
    {"float8e5m2", 1, 0, true, false, DType::kFp8E5M2},
    {"float8e5m2fnuz", 0, 0, true, false, DType::kUnknown},
    {"uint4", 1, 4, false, true, DType::kI8},
    {"int4", 1, 4, false, false, DType::kI8},
}};

const TypeRow& row(ElementType type) { return kTypes[static_cast<std::size_t>(type)]; }

std::uint64_t raw_element(const HostArray& array, std::size_t size, std::size_t index) {
    std::uint64_t bits = 0;
    std::memcpy(&bits, array.bytes.data() + index * size, size);
    return bits;
}

std::int64_t sign_extended(std::uint64_t bits, std::size_t bytes) {
    const int unused = 64 - 8 * static_cast<int>(bytes);
    return static_cast<std::int64_t>(bits << unused) >> unused;
}

double real_of(ElementType type, std::uint64_t bits) {
    if (type == ElementType::kFloat64) return std::bit_cast<double>(bits);
    if (type == ElementType::kFloat32) {
        return std::bit_cast<float>(static_cast<std::uint32_t>(bits));
    }
    return decode_float(row(type).device, static_cast<std::uint32_t>(bits));
}

std::uint64_t bits_of(ElementType type, double value) {
    if (type == ElementType::kFloat64) return std::bit_cast<std::uint64_t>(value);
    if (type == ElementType::kFloat32) {
        return std::bit_cast<std::uint32_t>(static_cast<float>(value));
    }
    return encode_float(row(type).device, value);
}

template <typename Value, typename Encode>
HostArray encoded(ElementType type, Shape shape, const std::vector<Value>& values,
                  Encode&& encode) {
    const std::size_t size = row(type).bytes;
    std::vector<std::byte> bytes(values.size() * size);
    for (std::size_t i = 0; i < values.size(); ++i) {
        const std::uint64_t bits = encode(values[i]);
        std::memcpy(bytes.data() + i * size, &bits, size);
    }
    return make_array(type, std::move(shape), std::move(bytes));
}

}  // namespace

ElementType element_type(std::int64_t number) {
    const bool is_known = number > 0 && number < static_cast<std::int64_t>(kTypes.size());
    return is_known ? static_cast<ElementType>(number) : ElementType::kUndefined;
}

std::string_view element_name(ElementType type) { return row(type).name; }
std::size_t element_bytes(ElementType type) { return row(type).bytes; }
bool is_real(ElementType type) { return row(type).is_real; }
bool is_whole(ElementType type) { return row(type).bits != 0; }
bool is_unsigned(ElementType type) { return row(type).is_unsigned; }
int integer_bits(ElementType type) { return row(type).bits; }
DType device_type(ElementType type) { return row(type).device; }
std::int64_t device_offset(ElementType type) { return type == ElementType::kUint8 ? 128 : 0; }

std::size_t HostArray::count() const {
    return static_cast<std::size_t>(element_count(shape).value_or(0));
}

std::vector<std::int64_t> integers(const HostArray& array) {
    const TypeRow& type = row(array.type);
    std::vector<std::int64_t> values(array.count());
    for (std::size_t i = 0; i < values.size(); ++i) {
        const std::uint64_t bits = raw_element(array, type.bytes, i);
        if (array.type == ElementType::kBool) {
            values[i] = bits != 0 ? 1 : 0;
        } else {
            values[i] = type.is_unsigned ? static_cast<std::int64_t>(bits)
                                         : sign_extended(bits, type.bytes);
        }
    }
    return values;
}

std::vector<double> reals(const HostArray& array) {
    if (!is_real(array.type)) {
        const std::vector<std::int64_t> whole = integers(array);
        std::vector<double> values(whole.begin(), whole.end());
        if (array.type == ElementType::kUint64) {
            for (std::size_t i = 0; i < whole.size(); ++i) {
                values[i] = static_cast<double>(static_cast<std::uint64_t>(whole[i]));
            }
        }
        return values;
    }
    std::vector<double> values(array.count());
    for (std::size_t i = 0; i < values.size(); ++i) {
        values[i] = real_of(array.type, raw_element(array, row(array.type).bytes, i));
    }
    return values;
}

HostArray make_array(ElementType type, Shape shape, std::vector<std::byte> bytes) {
    auto owner = std::make_shared<const std::vector<std::byte>>(std::move(bytes));
    return {type, std::move(shape), *owner, owner};
}

HostArray make_array(ElementType type, Shape shape, const std::vector<std::int64_t>& values) {
    if (is_real(type)) {
        return make_array(type, std::move(shape),
                          std::vector<double>(values.begin(), values.end()));
    }
    return encoded(type, std::move(shape), values, [type](std::int64_t value) {
        if (type == ElementType::kBool) return std::uint64_t{value != 0};
        return static_cast<std::uint64_t>(value);
    });
}

HostArray make_array(ElementType type, Shape shape, const std::vector<double>& values) {
    if (!is_real(type)) {
        std::vector<std::int64_t> whole(values.size());
        std::transform(values.begin(), values.end(), whole.begin(), [type](double value) {
            if (type == ElementType::kBool) return std::int64_t{value != 0};
            constexpr double kMost = 9.2e18;
            if (!(std::abs(value) < kMost)) return std::numeric_limits<std::int64_t>::min();
            return static_cast<std::int64_t>(value);
        });
        return make_array(type, std::move(shape), whole);
    }
    return encoded(type, std::move(shape), values,
                   [type](double value) { return bits_of(type, value); });
}

HostArray transposed(const HostArray& array, const std::vector<std::size_t>& perms) {
    const std::size_t rank = array.shape.size(), size = element_bytes(array.type);
    std::vector<std::size_t> from_step(rank), step(rank);
    std::size_t next = size;
    for (std::size_t i = rank; i-- > 0;) {
        from_step[i] = next;
        next *= static_cast<std::size_t>(array.shape[i]);
    }
    Shape shape(rank);
    for (std::size_t i = 0; i < rank; ++i) {
        shape[i] = array.shape[perms[i]];
        step[i] = from_step[perms[i]];
    }
    // Weights of 1x1 windows keep their bytes: they must not take memory twice.
    std::vector<std::size_t> moved;
    for (const std::size_t axis : perms) {
        if (array.shape[axis] != 1) moved.push_back(axis);
    }
    if (std::is_sorted(moved.begin(), moved.end())) return reshaped(array, std::move(shape));
    std::vector<std::byte> bytes(array.bytes.size());
    std::vector<std::int64_t> at(rank, 0);
    std::size_t from = 0;
    for (std::size_t to = 0; to < bytes.size(); to += size) {
        std::memcpy(bytes.data() + to, array.bytes.data() + from, size);
        for (std::size_t axis = rank; axis-- > 0;) {
            from += step[axis];
            if (++at[axis] < shape[axis]) break;
            from -= step[axis] * static_cast<std::size_t>(shape[axis]);
            at[axis] = 0;
        }
    }
    return make_array(array.type, std::move(shape), std::move(bytes));
}

HostArray reshaped(HostArray array, Shape shape) {
    array.shape = std::move(shape);
    return array;
}

std::optional<ConstantData> device_bytes(Graph& graph, const HostArray& array) {
    if (array.type == ElementType::kUint8) {
        return graph.own_deferred(array.count(), [array](std::span<std::byte> to) {
            std::transform(array.bytes.begin(), array.bytes.end(), to.begin(),
                           [](std::byte byte) { return byte ^ std::byte{128}; });
        });
    }
    const DType device = device_type(array.type);
    const bool is_same =
        static_cast<std::size_t>(storage_bits(device)) == 8 * element_bytes(array.type);
    if (is_same) {
        if (array.owner != nullptr) graph.storage.push_back(array.owner);
        return array.bytes;
    }
    std::vector<std::int64_t> values = integers(array);
    for (std::int64_t& value : values) {
        const bool is_unsigned_word = array.type == ElementType::kUint32;
        if (is_unsigned_word) value = static_cast<std::int32_t>(value);
        if (value < std::numeric_limits<std::int32_t>::min() ||
            value > std::numeric_limits<std::int32_t>::max()) {
            return std::nullopt;
        }
    }
    return graph.own_bytes(pack_integers(device, values));
}

}  // namespace okksim::sim::graph::onnx
