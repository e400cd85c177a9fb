// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "sim/graph/graph.h"

namespace okksim::sim::graph {

/// A type of the text.
struct MlirType {
    enum class Kind : std::uint8_t {
        kNone,
        kTensor,
        kShape,
        kElement,
        kFunction,
        kOther  ///< memref, vector, types of other dialects: not usable in a graph
    };
    Kind kind = Kind::kNone;
    DType type = DType::kUnknown;  ///< of elements; kUnknown: `spelling` is not a TOSA type
    bool is_unsigned = false;
    bool is_index = false;
    Shape shape;               ///< of a tensor; of !tosa.shape<n>: {n}
    std::size_t open_at = 0;   ///< position of a type with an open dimension (kOpen, '?')
    bool is_unranked = false;  ///< '*': the rank is open and `shape` is empty
    std::string_view spelling;
    FileWords words = FileWords::kNone;  ///< of a function's result
    std::vector<MlirType> inputs = {};   ///< of a function type
    std::vector<MlirType> results = {};  ///< of a function type

    static constexpr std::int64_t kOpen = -1;
    /// True if the type matches; open dimensions match any size.
    bool fits(DType elements, std::span<const std::int64_t> dimensions) const {
        if (type != elements || is_unranked) return type == elements;
        return std::equal(
            shape.begin(), shape.end(), dimensions.begin(), dimensions.end(),
            [](std::int64_t a, std::int64_t b) { return a == b || a == kOpen || b == kOpen; });
    }
    bool same_value(const MlirType& other) const {
        return kind == other.kind && is_unsigned == other.is_unsigned &&
               (other.is_unranked ? type == other.type : fits(other.type, other.shape));
    }
    bool is_value() const { return kind == Kind::kTensor || kind == Kind::kShape; }
};

/// An attribute of the text.
struct MlirAttribute {
    enum class Kind : std::uint8_t {
        kUnit,
        kBool,
        kNumber,    ///< `text` is the literal; `type` its type, or kNone
        kString,    ///< `text` with quotes
        kSymbol,    ///< @name
        kType,      ///< `type`
        kIntegers,  ///< array<i64: ...>, `type` of each, or [1, 2]; in `integers`
        kEnum,      ///< a bare word, or the word in #tosa.name<WORD>
        kElements,  ///< dense: `data` in the encoding of constants for `type`
        kOther      ///< skipped
    };
    Kind kind = Kind::kOther;
    std::size_t at = 0;
    std::string_view text;
    bool truth = false;
    MlirType type;
    std::vector<std::int64_t> integers;
    ConstantData data;
    std::string_view resource;  ///< of dense_resource: bound after the file has been read
};

struct MlirNamedAttribute {
    std::string_view name;
    std::size_t at = 0;
    MlirAttribute value;
    mutable bool is_used = false;  ///< an operator has read it
};

}  // namespace okksim::sim::graph
