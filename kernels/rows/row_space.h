// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <span>

#include "kernels/call/tensor.h"

/// The space that the values of a row group share: `rows` rows of `columns` elements. Columns are
/// one dimension of the tensors, the one that reductions reduce; rows are all others. Pure.
namespace okksim::kernels::rows {

/// Directions in which a value has more than one element.
enum class RowExtent : std::uint8_t { kFull, kRows, kColumns, kOne };

constexpr bool has_rows(RowExtent extent) {
    return extent == RowExtent::kFull || extent == RowExtent::kRows;
}
constexpr bool has_columns(RowExtent extent) {
    return extent == RowExtent::kFull || extent == RowExtent::kColumns;
}

/// Element strides of rows and columns of a tensor in system memory; 0 for a single row or column.
/// `block`: stride of blocks of rows.
struct RowStrides {
    std::int64_t row = 0;
    std::int64_t column = 0;
    std::int64_t block = 0;
    /// After `blocks` blocks the next one begins `outer` after the first of them; 0: all are
    /// `block` apart. Masks that repeat for the heads of an image, or for all images, have such
    /// strides.
    std::int64_t blocks = 0;
    std::int64_t outer = 0;

    std::int64_t of_block(std::int64_t index) const {
        return blocks == 0 ? index * block : index / blocks * outer + index % blocks * block;
    }
};

/// Returns the tensor with the number of dimensions of `other`. The first dimensions of `other`
/// together must be the tensor's first one, or that is 1. Otherwise returns the tensor unchanged,
/// also if it has enough dimensions.
DeviceTensor under_dimensions(const DeviceTensor& tensor, const DeviceTensor& other);

class RowSpace {
 public:
    /// Builds the space of tensors of equal rank, with dimension `axis` as columns. Every dimension
    /// of a tensor is that of the space or 1. The order of the rows is that of the storage of
    /// `order`, a tensor of the whole space. Its innermost `inner` dimensions, or all of them, are
    /// a block of rows. Returns nothing if the tensors have no common space.
    static std::optional<RowSpace> of(std::span<const DeviceTensor> tensors, int axis,
                                      const DeviceTensor& order, std::size_t inner = kMaxRank);

    std::int64_t rows() const { return rows_; }
    std::int64_t columns() const { return columns_; }
    /// True if the columns are the last dimension, as those of a matrix are.
    bool is_matrix() const { return axis_ + 1 == static_cast<std::size_t>(rank_); }
    /// Rows per block, and the number of their dimensions.
    std::int64_t block_rows() const { return block_rows_; }
    std::size_t block_dimensions() const { return inner_; }
    /// Extent of a tensor. A tensor that repeats some of its rows but not all has rows.
    RowExtent extent(const DeviceTensor& tensor) const;
    /// True if several rows of the space are one row in system memory.
    bool repeats_rows(const DeviceTensor& tensor) const;
    /// Returns nothing if the rows of a block, or the blocks, are not equidistant in the order of
    /// the space.
    std::optional<RowStrides> strides(const DeviceTensor& tensor) const;
    /// Also accepts blocks with two distances (RowStrides::blocks).
    std::optional<RowStrides> strides_of_blocks(const DeviceTensor& tensor) const;

 private:
    int rank_ = 0;
    std::size_t axis_ = 0;
    std::int64_t rows_ = 1;
    std::int64_t columns_ = 1;
    std::array<std::int32_t, kMaxRank> dims_{};
    /// Dimensions of the rows with more than one element, the innermost first.
    std::array<std::size_t, kMaxRank> order_{};
    std::size_t ordered_ = 0;
    std::size_t inner_ = 0;  ///< how many of them are in a block
    std::int64_t block_rows_ = 1;
};

}  // namespace okksim::kernels::rows
