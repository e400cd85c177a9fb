// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <optional>
#include <span>
#include <string>

#include "sim/graph/operator_builder.h"
#include "sim/graph/unread_parts.h"
#include "sim/graph/xmodel/xmodel_element.h"
#include "sim/graph/xmodel/xmodel_node.h"

namespace okksim::sim::graph::xmodel {

/// The operator vocabulary, which determines names and dimension order.
enum class Vocabulary : std::uint8_t {
    kOpLib,  ///< of the specification: N, C, H, W
    kXir,    ///< of existing files: N, H, W, C
};

/// Rounding to whole numbers.
enum class Rounding : std::uint8_t {
    kHalfUp,    ///< DPU_ROUND: floor(x + 1/2)
    kHalfAway,  ///< STD_ROUND: halves away from zero
    kHalfEven,  ///< PY3_ROUND: halves to even
};

/// The result of an operator of the file. The graph holds it in the file's dimension order or
/// "channels last" (N, H, W, C for a declared N, C, H, W), or both. A missing order is created when
/// an operator needs it.
struct Value {
    Name name;
    ElementType type;
    Shape shape;                   ///< as declared in the file
    std::optional<int> fix_point;  ///< XINT: the value is the integer times 2^-fix_point
    Rounding rounding = Rounding::kHalfUp;
    bool is_constant = false;
    bool is_unread = false;           ///< of an unsupported operator: not usable as an operand
    std::span<const std::byte> data;  ///< of a constant: row-major, little-endian
    std::optional<TensorIndex> declared;
    std::optional<TensorIndex> channels_last;

    std::size_t rank() const { return shape.size(); }
};

/// Positions of the dimensions N, C, H, W in N, H, W, C.
inline constexpr std::array<std::size_t, 4> kPlaceInChannelsLast{0, 3, 1, 2};

/// The conversion of a constant or tensor to an operand: a reshape to `view`, a reversal along
/// dimensions, and a permutation.
struct Arrangement {
    Shape view;
    std::vector<std::size_t> mirrored;
    std::vector<std::int32_t> perms;
};

/// Creates tensors for values in the required order, with pairs of words for 64-bit elements.
class ValueTensors {
 public:
    explicit ValueTensors(OperatorBuilder& ops) : ops_(ops) {}

    OperatorBuilder& ops() { return ops_; }

    /// Returns the tensor in the file's order.
    TensorIndex declared(Value& value);
    /// Returns the tensor as N, H, W, C for a value that is declared as N, C, H, W.
    TensorIndex channels_last(Value& value);
    /// Returns the feature map of an operator as N, H, W, C, according to its vocabulary.
    TensorIndex feature_map(Value& value, Vocabulary vocabulary) {
        return vocabulary == Vocabulary::kOpLib ? channels_last(value) : declared(value);
    }
    /// Sets a tensor in N, H, W, C as the value.
    static void set_feature_map(Value& value, Vocabulary vocabulary, TensorIndex tensor) {
        (vocabulary == Vocabulary::kOpLib ? value.channels_last : value.declared) = tensor;
    }

    /// Returns the shape that the file declares for a value of this type, from its tensors.
    static Shape shape_in_file(const BlockBuilder& block, const Value& value);

    /// Returns the rearranged operand. Constants are rearranged on the host, where they are packed
    /// anyway.
    TensorIndex arranged(Value& value, const Arrangement& arrangement, std::string_view role);

    /// Extends per-dimension lists for tensors whose last dimension holds word pairs.
    static Shape with_words(const ElementType& type, Shape shape, std::int64_t last) {
        if (type.is_wide()) shape.push_back(last);
        return shape;
    }
    TensorIndex reshape(const ElementType& type, TensorIndex x, const Shape& shape,
                        std::string_view role) {
        return ops_.reshape(x, with_words(type, shape, 2), role);
    }
    /// Adds a RESHAPE even if the shape does not change.
    TensorIndex reshape_step(const ElementType& type, TensorIndex x, const Shape& shape,
                             std::string_view role) {
        return ops_.reshape_step(x, with_words(type, shape, 2), role);
    }
    TensorIndex transpose(const ElementType& type, TensorIndex x, std::vector<std::int32_t> perms,
                          std::string_view role) {
        if (type.is_wide()) perms.push_back(static_cast<std::int32_t>(perms.size()));
        return ops_.transpose(x, perms, role);
    }
    TensorIndex slice(const ElementType& type, TensorIndex x, const Shape& start, const Shape& size,
                      std::string_view role) {
        return ops_.slice(x, with_words(type, start, 0), with_words(type, size, 2), role);
    }

 private:
    TensorIndex constant(const Value& value, const Shape& shape, std::span<const std::byte> bytes,
                         std::string_view role);

    OperatorBuilder& ops_;
};

}  // namespace okksim::sim::graph::xmodel
