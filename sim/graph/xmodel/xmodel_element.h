// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>

#include "sim/graph/graph.h"

namespace okksim::sim::graph::xmodel {

/// Kinds of elements, with the numbers of the file format.
enum class ElementKind : std::uint8_t {
    kInt = 0,
    kUint = 1,
    kFixed = 2,          ///< XINT: integers with a fixed point
    kUnsignedFixed = 3,  ///< XUINT
    kFloat = 4,
    kBfloat = 5,
};
inline constexpr int kElementKindCount = 6;

/// Element type of a tensor in a .xmodel file.
struct ElementType {
    ElementKind kind = ElementKind::kInt;
    int bits = 0;

    bool operator==(const ElementType&) const = default;
    /// Returns "INT8", "XINT8", "FLOAT64", "BFLOAT16".
    std::string name() const;
    bool is_integer() const { return kind == ElementKind::kInt; }
    bool is_fixed() const { return kind == ElementKind::kFixed; }
    bool is_float() const { return kind == ElementKind::kFloat || kind == ElementKind::kBfloat; }
    /// True if the graph holds the elements as pairs of words (FileWords), because they have 64
    /// bits.
    bool is_wide() const { return bits == 64; }
    std::size_t bytes() const { return static_cast<std::size_t>(bits) / 8; }
    /// Returns the type in the graph; kUnknown for an unsupported type.
    DType device_type() const;
    FileWords words() const;
    bool is_unsigned() const;
    /// True if arithmetic on the type is supported exactly: INT8 to INT64, XINT8, FLOAT16, FLOAT32,
    /// BFLOAT16. Every type with a device_type() can be copied.
    bool has_arithmetic() const;
};

}  // namespace okksim::sim::graph::xmodel
