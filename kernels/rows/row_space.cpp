// SPDX-License-Identifier: Apache-2.0
#include "kernels/rows/row_space.h"

#include <algorithm>

namespace okksim::kernels::rows {

std::optional<RowSpace> RowSpace::of(std::span<const DeviceTensor> tensors, int axis,
                                     const DeviceTensor& order, std::size_t inner) {
    RowSpace space;
    space.rank_ = order.rank;
    space.axis_ = static_cast<std::size_t>(axis);
    space.dims_ = order.dims;
    for (const DeviceTensor& tensor : tensors) {
        if (tensor.rank != space.rank_) return std::nullopt;
        for (std::size_t i = 0; i < static_cast<std::size_t>(space.rank_); ++i) {
            if (tensor.dims[i] != space.dims_[i] && tensor.dims[i] != 1) return std::nullopt;
        }
    }
    for (std::size_t i = 0; i < static_cast<std::size_t>(space.rank_); ++i) {
        if (i == space.axis_ || space.dims_[i] == 1) continue;
        space.order_[space.ordered_++] = i;
        space.rows_ *= space.dims_[i];
    }
    std::sort(space.order_.begin(), space.order_.begin() + static_cast<long>(space.ordered_),
              [&](std::size_t a, std::size_t b) { return order.strides[a] < order.strides[b]; });
    space.inner_ = std::min(inner, space.ordered_);
    for (std::size_t i = 0; i < space.inner_; ++i) {
        space.block_rows_ *= space.dims_[space.order_[i]];
    }
    if (space.rank_ > 0) space.columns_ = space.dims_[space.axis_];
    return space;
}

std::optional<RowExtent> RowSpace::extent(const DeviceTensor& tensor) const {
    std::size_t own = 0;
    for (std::size_t i = 0; i < ordered_; ++i) own += tensor.dims[order_[i]] > 1 ? 1 : 0;
    if (own != 0 && own != ordered_) return std::nullopt;
    const bool columns = rank_ > 0 && tensor.dims[axis_] > 1;
    if (own == 0) return columns ? RowExtent::kColumns : RowExtent::kOne;
    return columns ? RowExtent::kFull : RowExtent::kRows;
}

std::optional<RowStrides> RowSpace::strides(const DeviceTensor& tensor) const {
    const std::optional<RowExtent> own = extent(tensor);
    if (!own) return std::nullopt;
    RowStrides strides;
    if (has_columns(*own)) strides.column = tensor.strides[axis_];
    if (!has_rows(*own)) return strides;
    strides.row = tensor.strides[order_[0]];
    strides.block = inner_ < ordered_ ? tensor.strides[order_[inner_]] : 0;
    std::int64_t next = strides.row;
    for (std::size_t i = 0; i < ordered_; ++i) {
        if (i == inner_) next = strides.block;
        if (tensor.strides[order_[i]] != next) return std::nullopt;
        next *= tensor.dims[order_[i]];
    }
    return strides;
}

}  // namespace okksim::kernels::rows
