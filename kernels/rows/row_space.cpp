// SPDX-License-Identifier: Apache-2.0
#include "kernels/rows/row_space.h"

#include <algorithm>

namespace okksim::kernels::rows {

DeviceTensor under_dimensions(const DeviceTensor& tensor, const DeviceTensor& other) {
    if (tensor.rank >= other.rank || tensor.rank == 0) return tensor;
    const auto more = static_cast<std::size_t>(other.rank - tensor.rank);
    DeviceTensor spread = tensor;
    spread.rank = other.rank;
    for (std::size_t i = 1; i < static_cast<std::size_t>(tensor.rank); ++i) {
        spread.dims[i + more] = tensor.dims[i];
        spread.strides[i + more] = tensor.strides[i];
    }
    std::int64_t stride = tensor.strides[0], count = 1;
    for (std::size_t i = more + 1; i-- > 0;) {
        spread.dims[i] = tensor.dims[0] == 1 ? 1 : other.dims[i];
        spread.strides[i] = stride * count;
        count *= spread.dims[i];
    }
    return count == tensor.dims[0] ? spread : tensor;
}

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

RowExtent RowSpace::extent(const DeviceTensor& tensor) const {
    const bool rows = std::any_of(order_.begin(), order_.begin() + static_cast<long>(ordered_),
                                  [&](std::size_t i) { return tensor.dims[i] > 1; });
    const bool columns = rank_ > 0 && tensor.dims[axis_] > 1;
    if (!rows) return columns ? RowExtent::kColumns : RowExtent::kOne;
    return columns ? RowExtent::kFull : RowExtent::kRows;
}

bool RowSpace::repeats_rows(const DeviceTensor& tensor) const {
    return has_rows(extent(tensor)) &&
           std::any_of(order_.begin(), order_.begin() + static_cast<long>(ordered_),
                       [&](std::size_t i) { return tensor.dims[i] == 1; });
}

std::optional<RowStrides> RowSpace::strides(const DeviceTensor& tensor) const {
    const std::optional<RowStrides> strides = strides_of_blocks(tensor);
    return strides && strides->blocks == 0 ? strides : std::nullopt;
}

std::optional<RowStrides> RowSpace::strides_of_blocks(const DeviceTensor& tensor) const {
    const RowExtent own = extent(tensor);
    RowStrides strides;
    if (has_columns(own)) strides.column = tensor.strides[axis_];
    if (!has_rows(own)) return strides;
    const auto stride = [&](std::size_t i) {
        return tensor.dims[order_[i]] == 1 ? 0 : tensor.strides[order_[i]];
    };
    strides.row = stride(0);
    strides.block = inner_ < ordered_ ? stride(inner_) : 0;
    std::int64_t next = strides.row, blocks = 1;
    for (std::size_t i = 0; i < ordered_; ++i) {
        if (i == inner_) next = strides.block;
        if (stride(i) != next) {
            if (i <= inner_ || strides.blocks > 0) return std::nullopt;
            strides.blocks = blocks;
            strides.outer = next = stride(i);
        }
        next *= dims_[order_[i]];
        if (i >= inner_) blocks *= dims_[order_[i]];
    }
    return strides;
}

}  // namespace okksim::kernels::rows
