// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string>
#include <variant>
#include <vector>

#include "kernels/tosa/tosa_types.h"

namespace okksim::tosa {

// Attributes of the operators with the specification's names. Arrays have the specification's
// order. Kernel, stride and dilation are [y, x] ([d, y, x] for CONV3D). Padding is [top, bottom,
// left, right] ([d0, d1, top, bottom, left, right]).

/// Operators whose section lists no attribute in this representation. Zero points, shifts, tables,
/// shapes and padding are input tensors.
struct NoAttributes {
    bool operator==(const NoAttributes&) const = default;
};

struct ArgmaxAttributes {
    std::int32_t axis = 0;
    NanPropagationMode nan_mode = NanPropagationMode::kUnknown;
    bool operator==(const ArgmaxAttributes&) const = default;
};

struct AvgPool2dAttributes {
    std::array<std::int32_t, 2> kernel{};
    std::array<std::int32_t, 2> stride{};
    std::array<std::int32_t, 4> pad{};
    DType acc_type = DType::kUnknown;
    bool operator==(const AvgPool2dAttributes&) const = default;
};

struct Conv2dAttributes {
    std::array<std::int32_t, 4> pad{};
    std::array<std::int32_t, 2> stride{};
    std::array<std::int32_t, 2> dilation{};
    bool local_bound = false;
    DType acc_type = DType::kUnknown;
    bool operator==(const Conv2dAttributes&) const = default;
};

struct Conv3dAttributes {
    std::array<std::int32_t, 6> pad{};
    std::array<std::int32_t, 3> stride{};
    std::array<std::int32_t, 3> dilation{};
    bool local_bound = false;
    DType acc_type = DType::kUnknown;
    bool operator==(const Conv3dAttributes&) const = default;
};

struct DepthwiseConv2dAttributes {
    std::array<std::int32_t, 4> pad{};
    std::array<std::int32_t, 2> stride{};
    std::array<std::int32_t, 2> dilation{};
    bool local_bound = false;
    DType acc_type = DType::kUnknown;
    bool operator==(const DepthwiseConv2dAttributes&) const = default;
};

struct Fft2dAttributes {
    bool inverse = false;
    bool local_bound = false;
    bool operator==(const Fft2dAttributes&) const = default;
};

struct MaxPool2dAttributes {
    std::array<std::int32_t, 2> kernel{};
    std::array<std::int32_t, 2> stride{};
    std::array<std::int32_t, 4> pad{};
    NanPropagationMode nan_mode = NanPropagationMode::kUnknown;
    bool operator==(const MaxPool2dAttributes&) const = default;
};

struct Rfft2dAttributes {
    bool local_bound = false;
    bool operator==(const Rfft2dAttributes&) const = default;
};

struct TransposeConv2dAttributes {
    std::array<std::int32_t, 4> out_pad{};  ///< may be negative
    std::array<std::int32_t, 2> stride{};
    bool local_bound = false;
    DType acc_type = DType::kUnknown;
    bool operator==(const TransposeConv2dAttributes&) const = default;
};

/// One element in the encoding of constants (see DType), zero-padded to eight bytes.
struct ElementBytes {
    std::array<std::uint8_t, 8> bytes{};
    std::uint32_t size = 0;  ///< bytes present in the file; at least one element for a legal graph
    bool operator==(const ElementBytes&) const = default;
};

struct ClampAttributes {
    ElementBytes min_val;  ///< of the input's data type
    ElementBytes max_val;
    NanPropagationMode nan_mode = NanPropagationMode::kUnknown;
    bool operator==(const ClampAttributes&) const = default;
};

struct ArithmeticRightShiftAttributes {
    bool round = false;
    bool operator==(const ArithmeticRightShiftAttributes&) const = default;
};

struct MaximumAttributes {
    NanPropagationMode nan_mode = NanPropagationMode::kUnknown;
    bool operator==(const MaximumAttributes&) const = default;
};

struct MinimumAttributes {
    NanPropagationMode nan_mode = NanPropagationMode::kUnknown;
    bool operator==(const MinimumAttributes&) const = default;
};

struct ReduceAllAttributes {
    std::int32_t axis = 0;
    bool operator==(const ReduceAllAttributes&) const = default;
};

struct ReduceAnyAttributes {
    std::int32_t axis = 0;
    bool operator==(const ReduceAnyAttributes&) const = default;
};

struct ReduceMaxAttributes {
    std::int32_t axis = 0;
    NanPropagationMode nan_mode = NanPropagationMode::kUnknown;
    bool operator==(const ReduceMaxAttributes&) const = default;
};

struct ReduceMinAttributes {
    std::int32_t axis = 0;
    NanPropagationMode nan_mode = NanPropagationMode::kUnknown;
    bool operator==(const ReduceMinAttributes&) const = default;
};

struct ReduceProductAttributes {
    std::int32_t axis = 0;
    bool operator==(const ReduceProductAttributes&) const = default;
};

struct ReduceSumAttributes {
    std::int32_t axis = 0;
    bool operator==(const ReduceSumAttributes&) const = default;
};

struct ConcatAttributes {
    std::int32_t axis = 0;
    bool operator==(const ConcatAttributes&) const = default;
};

struct ReverseAttributes {
    std::int32_t axis = 0;
    bool operator==(const ReverseAttributes&) const = default;
};

struct TransposeAttributes {
    std::vector<std::int32_t> perms;
    bool operator==(const TransposeAttributes&) const = default;
};

struct ResizeAttributes {
    ResizeMode mode = ResizeMode::kUnknown;
    bool operator==(const ResizeAttributes&) const = default;
};

struct RescaleAttributes {
    bool scale32 = false;
    RoundingMode rounding_mode = RoundingMode::kUnknown;
    bool per_channel = false;
    bool input_unsigned = false;
    bool output_unsigned = false;
    bool operator==(const RescaleAttributes&) const = default;
};

struct CustomAttributes {
    std::string operator_name;
    std::string domain_name;
    std::vector<std::uint8_t> implementation_attrs;
    bool operator==(const CustomAttributes&) const = default;
};

/// A block of the graph: Graph::regions[region].blocks[block].
struct BlockReference {
    std::uint32_t region = 0;
    std::uint32_t block = 0;
    bool operator==(const BlockReference&) const = default;
};

/// A block of a control-flow operator. The operator's operands are its inputs, by position. The
/// block may also use values of the enclosing block. captures[i] is the position of the value for
/// the inner block's Block::captures[i] among the tensors of the operator's block.
struct SubGraph {
    BlockReference block;
    std::vector<std::uint32_t> captures;
    bool operator==(const SubGraph&) const = default;
};

struct CondIfAttributes {
    SubGraph then_graph;
    SubGraph else_graph;
    bool operator==(const CondIfAttributes&) const = default;
};

struct WhileLoopAttributes {
    SubGraph cond_graph;
    SubGraph body_graph;
    bool operator==(const WhileLoopAttributes&) const = default;
};

/// VARIABLE, VARIABLE_READ and VARIABLE_WRITE: which entry of Graph::variables.
struct VariableAttributes {
    std::uint32_t variable = 0;
    bool operator==(const VariableAttributes&) const = default;
};

/// The alternative in use is the one that operators.def gives for the operator's OpCode.
using Attributes =
    std::variant<NoAttributes, ArgmaxAttributes, AvgPool2dAttributes, Conv2dAttributes,
                 Conv3dAttributes, DepthwiseConv2dAttributes, Fft2dAttributes, MaxPool2dAttributes,
                 Rfft2dAttributes, TransposeConv2dAttributes, ClampAttributes,
                 ArithmeticRightShiftAttributes, MaximumAttributes, MinimumAttributes,
                 ReduceAllAttributes, ReduceAnyAttributes, ReduceMaxAttributes, ReduceMinAttributes,
                 ReduceProductAttributes, ReduceSumAttributes, ConcatAttributes, ReverseAttributes,
                 TransposeAttributes, ResizeAttributes, RescaleAttributes, CustomAttributes,
                 CondIfAttributes, WhileLoopAttributes, VariableAttributes>;

/// Returns the operator's attribute struct with default values (operator_row.cpp).
Attributes empty_attributes(OpCode op);

}  // namespace okksim::tosa
