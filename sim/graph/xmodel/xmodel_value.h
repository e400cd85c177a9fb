// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <optional>
#include <span>
#include <stdexcept>
#include <string>

#include "sim/graph/operator_builder.h"
#include "sim/graph/xmodel/xmodel_element.h"
#include "sim/graph/xmodel/xmodel_node.h"

namespace okksim::sim::graph::xmodel {

/// Whose names and storage order an operator has.
enum class Vocabulary : std::uint8_t {
    kOpLib,  ///< the specification's: N, C, H, W
    kXir,    ///< that of files in use: N, H, W, C
};

/// Rounding to whole numbers.
enum class Rounding : std::uint8_t {
    kHalfUp,    ///< DPU_ROUND: floor(x + 1/2)
    kHalfAway,  ///< STD_ROUND: halves away from zero
    kHalfEven,  ///< PY3_ROUND: halves to even
};

/// The result of an operator of the file. It is in the graph in the order of dimensions that the
/// file says, with the last of four dimensions moved to the front of the two before it ("channels
/// last" of N, C, H, W), or in both; what is missing is made when an operator asks for it.
struct Value {
    Name name;
    ElementType type;
    Shape shape;                   ///< as the file says it
    std::optional<int> fix_point;  ///< XINT: the value is the integer times 2^-fix_point
    Rounding rounding = Rounding::kHalfUp;
    bool is_constant = false;
    bool is_unread = false;           ///< of an operator that is not read: no operand
    std::span<const std::byte> data;  ///< of a constant: row-major, little-endian
    std::optional<TensorIndex> declared;
    std::optional<TensorIndex> channels_last;

    std::size_t rank() const { return shape.size(); }
};

/// Where the dimensions N, C, H, W are in N, H, W, C.
inline constexpr std::array<std::size_t, 4> kPlaceInChannelsLast{0, 3, 1, 2};

/// Something of the file that is legal and not computed: the reader goes on and lists all of them.
class UnsupportedPart : public std::runtime_error {
 public:
    UnsupportedPart(const std::string& what, bool is_type)
        : std::runtime_error(what), is_type_(is_type) {}
    bool is_type() const { return is_type_; }

 private:
    bool is_type_;
};

/// What happens to a constant or a tensor on its way to an operand: it is seen in another shape,
/// mirrored along dimensions of that, and its dimensions change places.
struct Arrangement {
    Shape view;
    std::vector<std::size_t> mirrored;
    std::vector<std::int32_t> perms;
};

/// Makes tensors of values: in the wanted order, with pairs of words for 64-bit elements.
class ValueTensors {
 public:
    explicit ValueTensors(OperatorBuilder& ops) : ops_(ops) {}

    OperatorBuilder& ops() { return ops_; }

    /// In the file's order.
    TensorIndex declared(Value& value);
    /// N, H, W, C of a value that is declared N, C, H, W.
    TensorIndex channels_last(Value& value);
    /// The maps of an operator: in N, H, W, C by what its vocabulary says of its operands.
    TensorIndex feature_map(Value& value, Vocabulary vocabulary) {
        return vocabulary == Vocabulary::kOpLib ? channels_last(value) : declared(value);
    }
    /// Makes a tensor in that order the value.
    static void set_feature_map(Value& value, Vocabulary vocabulary, TensorIndex tensor) {
        (vocabulary == Vocabulary::kOpLib ? value.channels_last : value.declared) = tensor;
    }

    /// The shape that the file gives a value of this type, from the tensors that hold it.
    static Shape shape_in_file(const BlockBuilder& block, const Value& value);

    /// Rearranged; constants on the host, where they are packed anyway.
    TensorIndex arranged(Value& value, const Arrangement& arrangement, std::string_view role);

    /// Lists about dimensions, for tensors that may have pairs of words as their last one.
    static Shape with_words(const ElementType& type, Shape shape, std::int64_t last) {
        if (type.is_wide()) shape.push_back(last);
        return shape;
    }
    TensorIndex reshape(const ElementType& type, TensorIndex x, const Shape& shape,
                        std::string_view role) {
        return ops_.reshape(x, with_words(type, shape, 2), role);
    }
    /// Also where the shape stays.
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
