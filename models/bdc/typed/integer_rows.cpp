// SPDX-License-Identifier: Apache-2.0
#include "models/bdc/typed/integer_rows.h"

#include <algorithm>
#include <cstring>

#include "models/bdc/typed/float_elements.h"

namespace okksim::models {
namespace {

constexpr int kAccumulatorBits = 48;

template <typename Element>
void load(const IntegerRow& row, std::int64_t count, std::int64_t* values) {
    for (std::int64_t i = 0; i < count; ++i) {
        Element element;
        std::memcpy(&element, row.data + i * row.stride, sizeof element);
        values[i] = element;
    }
}

/// load_integers() for contiguous elements, which the compiler vectorises.
template <typename Element>
void load_neighbours(const IntegerRow& row, std::int64_t count, std::int64_t* values) {
    for (std::int64_t i = 0; i < count; ++i) {
        Element element;
        std::memcpy(&element, row.data + i * static_cast<std::int64_t>(sizeof element),
                    sizeof element);
        values[i] = element;
    }
}

template <typename Element>
void load_as(const IntegerRow& row, std::int64_t count, std::int64_t* values) {
    if (row.stride == sizeof(Element)) return load_neighbours<Element>(row, count, values);
    load<Element>(row, count, values);
}

template <typename Element>
void store(const IntegerRow& row, std::int64_t count, const std::int64_t* values) {
    const bool are_neighbours = row.stride == sizeof(Element);
    for (std::int64_t i = 0; i < count; ++i) {
        const auto element = static_cast<Element>(values[i]);
        const std::int64_t step =
            are_neighbours ? static_cast<std::int64_t>(sizeof element) : row.stride;
        std::memcpy(row.data + i * step, &element, sizeof element);
    }
}

void store_as(const IntegerRow& row, std::int64_t count, const std::int64_t* values) {
    using isa::ElementType;
    switch (row.type) {
        case ElementType::kInt8: return store<std::int8_t>(row, count, values);
        case ElementType::kUint8: return store<std::uint8_t>(row, count, values);
        case ElementType::kInt16: return store<std::int16_t>(row, count, values);
        case ElementType::kUint16: return store<std::uint16_t>(row, count, values);
        case ElementType::kFp16:
        case ElementType::kBf16: return store<std::uint16_t>(row, count, values);
        case ElementType::kInt32:
        case ElementType::kFp32: return store<std::int32_t>(row, count, values);
        case ElementType::kInt48: break;
    }
    for (std::int64_t i = 0; i < count; ++i) {
        const std::int64_t word = accumulator(values[i]);
        std::memcpy(row.data + i * row.stride, &word, sizeof word);
    }
}

}  // namespace

std::int64_t accumulator(std::int64_t sum) {
    constexpr int kUnused = 64 - kAccumulatorBits;
    return static_cast<std::int64_t>(static_cast<std::uint64_t>(sum) << kUnused) >> kUnused;
}

void load_integers(const IntegerRow& row, std::int64_t count, std::int64_t* values) {
    using isa::ElementType;
    switch (row.type) {
        case ElementType::kInt8: return load_as<std::int8_t>(row, count, values);
        case ElementType::kUint8: return load_as<std::uint8_t>(row, count, values);
        case ElementType::kInt16: return load_as<std::int16_t>(row, count, values);
        case ElementType::kFp16:
        case ElementType::kBf16:
        case ElementType::kUint16: return load_as<std::uint16_t>(row, count, values);
        case ElementType::kFp32:
        case ElementType::kInt32: return load_as<std::int32_t>(row, count, values);
        case ElementType::kInt48: break;
    }
    load_as<std::int64_t>(row, count, values);
    for (std::int64_t i = 0; i < count; ++i) values[i] = accumulator(values[i]);
}

void store_integers(const IntegerRow& row, std::int64_t count, const std::int64_t* values,
                    bool saturates) {
    // Floating-point bits have already been rounded to the type.
    if (!saturates || is_floating_point(row.type)) return store_as(row, count, values);
    constexpr std::int64_t kPart = 64;
    const isa::ElementRange range = isa::element_range(row.type);
    std::int64_t limited[kPart];
    for (std::int64_t begin = 0; begin < count; begin += kPart) {
        const std::int64_t size = std::min(kPart, count - begin);
        for (std::int64_t i = 0; i < size; ++i) {
            limited[i] = std::clamp(values[begin + i], range.low, range.high);
        }
        store_as({row.data + begin * row.stride, row.stride, row.type}, size, limited);
    }
}

}  // namespace okksim::models
