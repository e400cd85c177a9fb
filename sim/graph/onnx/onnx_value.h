// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "sim/graph/onnx/onnx_array.h"
#include "sim/graph/operator_builder.h"
#include "sim/graph/unread_parts.h"

namespace okksim::sim::graph::onnx {

/// A value of the file: known before the run, or a tensor of the graph. The graph holds it in the
/// file's dimension order, or with channels last, or both. Channels last is N, H, W, C for
/// N, C, H, W; it exists from rank 3 on.
/// A missing order is created when an operator needs it.
struct Value {
    std::string_view name;
    ElementType type = ElementType::kUndefined;
    Shape shape;
    std::optional<HostArray> known;
    std::optional<TensorIndex> declared;
    std::optional<TensorIndex> channels_last;
    /// Forms with leading dimensions of 1, by rank and channels last.
    std::map<std::pair<std::size_t, bool>, TensorIndex> ranked;
    /// A feature map with equal batch and channels, whose pixels this value has in another shape.
    /// Both orders are created when an operator needs them.
    Value* view_of = nullptr;
    std::optional<TensorIndex> file_form;  ///< of an input, or double: elements as in a .npy file
    bool is_unread = false;                ///< of an unsupported node: not usable as an operand
    std::size_t frame = 0;                 ///< the block of the graph that has the tensors

    std::size_t rank() const { return shape.size(); }
    /// True if an order exists, or follows from another value.
    bool has_order() const { return declared || channels_last || view_of != nullptr; }
};

/// Returns the permutation to channels last (0, 2, ..., 1) or back (0, last, 1, ...).
std::vector<std::int32_t> to_channels_last(std::size_t rank);
std::vector<std::int32_t> from_channels_last(std::size_t rank);

/// Operands of an operator that works on any dimension order, all in the same order and with the
/// same rank.
struct Aligned {
    bool is_channels_last = false;
    std::size_t rank = 0;
    std::vector<TensorIndex> tensors;

    /// Returns the position of a dimension of the file in the tensors.
    std::size_t place(std::size_t axis) const {
        if (!is_channels_last || axis == 0) return axis;
        return axis == 1 ? rank - 1 : axis - 1;
    }
    /// Returns a list with one element per dimension of the file in the order of the tensors.
    template <typename List>
    List placed(const List& per_axis) const {
        List result = per_axis;
        for (std::size_t i = 0; i < per_axis.size(); ++i) result[place(i)] = per_axis[i];
        return result;
    }
};

/// Creates the tensors of values in the required dimension order.
class ValueTensors {
 public:
    explicit ValueTensors(OperatorBuilder& ops) : ops_(ops) {}

    OperatorBuilder& ops() { return ops_; }

    /// Returns the tensor in the file's order. UnsupportedPart for types that the chip cannot hold.
    TensorIndex declared(Value& value);
    /// Returns the tensor with channels last. The rank must be 3 or more.
    TensorIndex channels_last(Value& value);
    /// Returns the tensor in a given dimension order; known values are arranged on the host.
    TensorIndex arranged(Value& value, const std::vector<std::int32_t>& perms,
                         std::string_view role);
    /// Returns the operands in the order that needs the fewest transposes. Values of a lower rank
    /// get leading dimensions of 1.
    Aligned aligned(const std::vector<Value*>& values);

    /// Adds a constant of the graph for a known value.
    TensorIndex constant(const HostArray& array, std::string_view role);

 private:
    static bool prefers_channels_last(const std::vector<Value*>& values, std::size_t rank);
    TensorIndex with_rank(Value& value, std::size_t rank, bool is_channels_last);

    OperatorBuilder& ops_;
};

}  // namespace okksim::sim::graph::onnx
