// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include "isa/layout.h"
#include "isa/types.h"

namespace okksim::isa {

enum class Access : std::uint8_t { kNone, kRead, kWrite, kUpdate };

/// Layout of the elements of a tensor operand (API reference, chapter on layouts).
enum class Layout : std::uint8_t {
    kNone,        ///< not a tensor
    kStrided,     ///< by the command's strides
    kAligned,     ///< every channel starts on a vector of the machine
    kCompact,     ///< compact
    kMatrix,      ///< matrix: aligned, columns spread over channels
    kChosen,      ///< aligned or compact, by is_aligned_layout
    kContinuous,  ///< continuous, in system memory
    kLanes,       ///< one copy in every lane
};

/// Roles of operands, as the rows of forms.def name them. A role refers to the other operands of
/// its command, so a visitor of the operands (operands.h) has them at hand. Roles compute nothing
/// before a visitor asks.
namespace roles {

/// Base of tensor roles, which define the addresses of elements. kDefault is the layout that a NULL
/// stride selects.
struct Tensor {
    static constexpr bool kIsTensor = true;
};
struct StridedTensor : Tensor {
    static constexpr Layout kLayout = Layout::kStrided;
    static constexpr Layout kDefault = Layout::kAligned;
};

/// 32-bit elements by a stride operand.
struct Words : StridedTensor {
    const Dim4& shape;
    const Dim4& stride;
};
constexpr Words words(const Dim4& shape, const Dim4& stride) { return {{}, shape, stride}; }

/// Elements of the instruction's data type by a stride operand.
struct Elements : StridedTensor {
    const Dim4& shape;
    const Dim4& stride;
};
constexpr Elements elements(const Dim4& shape, const Dim4& stride) { return {{}, shape, stride}; }

/// Elements of a type that an operand gives, by a stride operand.
struct Typed : StridedTensor {
    const Dim4& shape;
    const Dim4& stride;
    const ElementType& element;
};
constexpr Typed typed(const Dim4& shape, const Dim4& stride, const ElementType& element) {
    return {{}, shape, stride, element};
}

/// A word for every row (n, c) of a shape, by a stride operand.
struct RowIndices : StridedTensor {
    Dim4 shape;
    const Dim4& stride;
};
constexpr RowIndices row_indices(const Dim4& rows, const Dim4& stride) {
    return {{}, {rows.n, rows.c, 1, 1}, stride};
}

/// One table at the same offset of every lane, shared by the lane's channels. Entries are
/// contiguous.
struct LaneTable : Tensor {
    static constexpr Layout kLayout = Layout::kLanes;
    std::int32_t channels;
    std::int32_t entries;
    ElementType element;
};
constexpr LaneTable lane_table(std::int32_t channels, std::int32_t entries, ElementType element) {
    return {{}, channels, entries, element};
}

/// Elements of a type in the compact layout.
struct CompactTyped : Tensor {
    static constexpr Layout kLayout = Layout::kCompact;
    Dim4 shape;
    ElementType element;
};
constexpr CompactTyped compact_typed(const Dim4& shape, ElementType element) {
    return {{}, shape, element};
}

/// Elements of a type that an operand gives, in the aligned layout.
struct AlignedTyped : Tensor {
    static constexpr Layout kLayout = Layout::kAligned;
    const Dim4& shape;
    const ElementType& element;
};
constexpr AlignedTyped aligned_typed(const Dim4& shape, const ElementType& element) {
    return {{}, shape, element};
}

/// Packed fixed-point elements; strides count 32-bit words. An updated destination may have another
/// type when it is read.
struct Packed : StridedTensor {
    const Dim4& shape;
    const Dim4& stride;
    FixedType type;
    FixedType old_type;
};
constexpr Packed packed(const Dim4& shape, const Dim4& stride, FixedType type, FixedType old_type) {
    return {{}, shape, stride, type, old_type};
}
constexpr Packed packed(const Dim4& shape, const Dim4& stride, FixedType type) {
    return packed(shape, stride, type, type);
}

/// Weights with two input channels of 32 bits, or four of 16, in a unit of 64 bits; `shape` counts
/// units.
struct WeightPairs : StridedTensor {
    static constexpr Layout kDefault = Layout::kCompact;
    Dim4 shape;
    const Dim4& stride;
};
constexpr WeightPairs weight_pairs(const Dim4& shape, const Dim4& stride) {
    return {{}, shape, stride};
}

/// 32-bit elements in the aligned layout.
struct Aligned : Tensor {
    static constexpr Layout kLayout = Layout::kAligned;
    const Dim4& shape;
};
constexpr Aligned aligned(const Dim4& shape) { return {{}, shape}; }

/// 32-bit elements in the compact layout.
struct Compact : Tensor {
    static constexpr Layout kLayout = Layout::kCompact;
    Dim4 shape;
};
constexpr Compact compact(const Dim4& shape) { return {{}, shape}; }

/// One 32-bit value for each channel, in the compact layout.
struct PerChannel : Compact {};
constexpr PerChannel per_channel(std::int32_t channels) { return {{{}, {1, channels, 1, 1}}}; }

/// Multiplier and shift of every channel, two words side by side in the compact layout.
struct Factors : Compact {};
constexpr Factors factors(std::int32_t channels) { return {{{}, {1, channels, 1, 2}}}; }

/// Weights of 8 bits with four input channels in a word, in the compact layout; `shape` counts
/// words.
struct WeightQuads : Compact {};
constexpr WeightQuads weight_quads(const Dim4& shape) { return {{{}, shape}}; }

/// 32-bit elements in the aligned or the compact layout.
struct ChosenWords : Tensor {
    static constexpr Layout kLayout = Layout::kChosen;
    Dim4 shape;
    bool is_aligned;
};
constexpr ChosenWords chosen_words(const Dim4& shape, std::uint32_t is_aligned) {
    return {{}, shape, is_aligned != 0};
}

/// Bytes in the aligned layout, or with every plane padded to a word (seed okk_bdc_int8_to_fp32).
struct ChosenBytes : Tensor {
    static constexpr Layout kLayout = Layout::kChosen;
    const Dim4& shape;
    bool is_aligned;
};
constexpr ChosenBytes chosen_bytes(const Dim4& shape, std::uint32_t is_aligned) {
    return {{}, shape, is_aligned != 0};
}

/// Results of a window that slides over `input`, in the aligned layout.
struct Windows : Tensor {
    static constexpr Layout kLayout = Layout::kAligned;
    const Dim4& input;
    std::int32_t channels;
    std::int32_t kernel_h;
    std::int32_t kernel_w;
    const Padding& padding;
    const Dim2& stride;
    const Dim2& dilation;

    WindowGeometry geometry() const {
        return window_geometry(input, channels, kernel_h, kernel_w, padding, stride, dilation);
    }
};
inline constexpr Dim2 kNoDilation{1, 1};
constexpr Windows windows(const Dim4& input, std::int32_t channels, std::int32_t kernel_h,
                          std::int32_t kernel_w, const Padding& padding, const Dim2& stride,
                          const Dim2& dilation) {
    return {{}, input, channels, kernel_h, kernel_w, padding, stride, dilation};
}

/// Windows with elements of a type that an operand gives.
struct TypedWindows : Windows {
    const ElementType& element;
};
constexpr TypedWindows typed_windows(const Windows& windows, const ElementType& element) {
    return {windows, element};
}

/// 32-bit elements of a matrix in the matrix layout.
struct Matrix : Tensor {
    static constexpr Layout kLayout = Layout::kMatrix;
    std::int32_t rows;
    std::int32_t cols;
    std::int32_t cols_per_channel;
};
constexpr Matrix matrix(std::int32_t rows, std::int32_t cols, std::int32_t cols_per_channel) {
    return {{}, rows, cols, cols_per_channel};
}

/// Result matrix of a product. The product also computes the columns of the last channel beyond
/// `cols`, from the contents of the operands' memory, and writes them (SEMANTICS.md 7, matmul).
struct ComputedMatrix : Matrix {};
constexpr ComputedMatrix computed_matrix(std::int32_t rows, std::int32_t cols,
                                         std::int32_t cols_per_channel) {
    return {matrix(rows, cols, cols_per_channel)};
}

/// Matrix layout of the GDMA engine. Rows are ceil(channels / lanes) channel slots apart for every
/// start lane (golden vectors okk_gdma_32bit_matrix_*-03).
struct MovedMatrix : Matrix {};
constexpr MovedMatrix moved_matrix(std::int32_t rows, std::int32_t cols,
                                   std::int32_t cols_per_channel) {
    return {matrix(rows, cols, cols_per_channel)};
}

/// The rows of a matrix one after another, at the distance of row_stride elements.
struct MatrixRows : Tensor {
    static constexpr Layout kLayout = Layout::kStrided;
    std::int32_t rows;
    std::int32_t cols;
    std::int32_t row_stride;
};
constexpr MatrixRows matrix_rows(std::int32_t rows, std::int32_t cols, std::int32_t row_stride) {
    return {{}, rows, cols, row_stride};
}

/// A tensor that takes part only when a flag operand is set.
template <typename Role>
struct Optional : Role {
    const std::uint32_t& flag;
};
template <typename Role>
constexpr Optional<Role> optional(const std::uint32_t& flag, const Role& role) {
    return {role, flag};
}

/// A destination that is added to when a flag operand is set.
template <typename Role>
struct Updated : Role {
    const std::uint32_t& flag;
};
template <typename Role>
constexpr Updated<Role> updated(const std::uint32_t& flag, const Role& role) {
    return {role, flag};
}

/// Roles of the other operands.
struct Scalar {
    static constexpr bool kIsTensor = false;
};
/// A source of the arithmetic that is the same for all elements, as the word of a 32-bit element.
struct Constant : Scalar {
    std::uint32_t word;
};
constexpr Constant constant(Bits32 value) { return {{}, value.bits}; }
constexpr Constant constant(std::int32_t value) { return {{}, static_cast<std::uint32_t>(value)}; }
/// A fixed-point constant, whose value must be in the range of its type.
struct FixedConstant : Scalar {
    std::int32_t value;
    FixedType type;
};
constexpr FixedConstant constant(std::int32_t value, FixedType type) { return {{}, value, type}; }
struct Extent : Scalar {};      ///< the shape that the command runs over
struct Placement : Scalar {};   ///< the stride of a tensor
struct Selected : Scalar {};    ///< the word that a fill or a selection writes
struct Terms : Scalar {};       ///< length of a series
struct LeftShift : Scalar {};   ///< of the old destination
struct RightShift : Scalar {};  ///< rounding shift of the result
struct Setting : Scalar {};     ///< for the command's own definition
constexpr Extent extent() { return {}; }
constexpr Placement placement() { return {}; }
constexpr Selected selected() { return {}; }
constexpr Terms terms() { return {}; }
constexpr LeftShift left_shift() { return {}; }
constexpr RightShift right_shift() { return {}; }
constexpr Setting setting() { return {}; }

// Types of fixed-point operands.
inline constexpr FixedType kSigned16{true, 16};
inline constexpr FixedType kUnsigned16{false, 16};
inline constexpr FixedType kUnsigned8{false, 8};
constexpr FixedType result_of(OpType type) { return fixed_types(type).result; }
constexpr FixedType first_of(OpType type) { return fixed_types(type).source0; }
constexpr FixedType second_of(OpType type) { return fixed_types(type).source1; }
constexpr FixedType result_of(MulType type) { return fixed_types(type).result; }
constexpr FixedType high_half_of(MulType type) { return {fixed_types(type).source0.is_signed, 8}; }
constexpr FixedType second_of(MulType type) { return fixed_types(type).source1; }
constexpr FixedType old_result(std::uint32_t is_signed) { return {is_signed != 0, 16}; }

}  // namespace roles
}  // namespace okksim::isa
