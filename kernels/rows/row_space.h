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

/// In which directions a value has more than one element.
enum class RowExtent : std::uint8_t { kFull, kRows, kColumns, kOne };

constexpr bool has_rows(RowExtent extent) {
    return extent == RowExtent::kFull || extent == RowExtent::kRows;
}
constexpr bool has_columns(RowExtent extent) {
    return extent == RowExtent::kFull || extent == RowExtent::kColumns;
}

/// Elements from one row or column of a tensor in system memory to the next; 0 where it has one.
/// `block`: from one block of rows to the next.
struct RowStrides {
    std::int64_t row = 0;
    std::int64_t column = 0;
    std::int64_t block = 0;
    /// Behind so many blocks the next one is `outer` from where they began; 0: all are `block`
    /// apart. So lie masks that repeat for the heads of an image, or for all images.
    std::int64_t blocks = 0;
    std::int64_t outer = 0;

    std::int64_t of_block(std::int64_t index) const {
        return blocks == 0 ? index * block : index / blocks * outer + index % blocks * block;
    }
};

/// The tensor under as many dimensions as `other` has: where other's first dimensions together are
/// its first one, or that is 1. As it is where they are not, or where it has as many.
DeviceTensor under_dimensions(const DeviceTensor& tensor, const DeviceTensor& other);

class RowSpace {
 public:
    /// The space of tensors of equal rank, with dimension `axis` as columns; every dimension of a
    /// tensor is that of the space or 1. The order of the rows is that of `order`'s storage, a
    /// tensor of the whole space. The innermost `inner` of its dimensions, or all of them, are a
    /// block of rows. Nothing when the tensors have no common space.
    static std::optional<RowSpace> of(std::span<const DeviceTensor> tensors, int axis,
                                      const DeviceTensor& order, std::size_t inner = kMaxRank);

    std::int64_t rows() const { return rows_; }
    std::int64_t columns() const { return columns_; }
    /// Rows of a block, and dimensions that they are.
    std::int64_t block_rows() const { return block_rows_; }
    std::size_t block_dimensions() const { return inner_; }
    /// Where a tensor repeats some of its rows but not all, it has all of them.
    RowExtent extent(const DeviceTensor& tensor) const;
    /// Whether several rows of the space are one in system memory.
    bool repeats_rows(const DeviceTensor& tensor) const;
    /// Nothing when the rows of a block, or the blocks, do not lie at equal distances in the order
    /// of the space.
    std::optional<RowStrides> strides(const DeviceTensor& tensor) const;
    /// The same where blocks may have two distances (RowStrides::blocks).
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
    std::size_t inner_ = 0;  ///< of these, those of a block
    std::int64_t block_rows_ = 1;
};

}  // namespace okksim::kernels::rows
