// SPDX-License-Identifier: Apache-2.0
#include "kernels/call/tensor.h"

#include <algorithm>

#include "isa/base/errors.h"

namespace okksim::kernels {

bool is_list(std::span<const std::int64_t> dims) {
    constexpr std::size_t kMostListRank = 2;
    constexpr std::int64_t kMostElements = 4096;
    if (dims.size() <= kMostListRank) return true;
    std::int64_t longest = 1;
    for (const std::int64_t extent : dims) {
        if (extent != 1 && longest != 1) return false;
        longest = std::max(longest, extent);
    }
    return longest <= kMostElements;
}

bool is_list(const DeviceTensor& tensor) {
    const std::vector<std::int64_t> dims(tensor.dims.begin(), tensor.dims.begin() + tensor.rank);
    return is_list(dims);
}

int stored_bytes(tosa::DType type) {
    switch (type) {
        case tosa::DType::kBool:
        case tosa::DType::kI4:
        case tosa::DType::kI8:
        case tosa::DType::kFp8E4M3:
        case tosa::DType::kFp8E5M2: return 1;
        case tosa::DType::kI16:
        case tosa::DType::kFp16:
        case tosa::DType::kBf16: return 2;
        case tosa::DType::kI32:
        case tosa::DType::kFp32: return 4;
        case tosa::DType::kI48:
        case tosa::DType::kShape: return 8;
        case tosa::DType::kUnknown: break;
    }
    OKKSIM_CHECK(false);
}

std::array<std::int64_t, kMaxRank> strides_in_order(std::span<const std::int32_t> dims,
                                                    std::span<const int> order) {
    std::array<std::int64_t, kMaxRank> strides{};
    std::int64_t step = 1;
    for (std::size_t i = order.size(); i-- > 0;) {
        const auto dim = static_cast<std::size_t>(order[i]);
        strides[dim] = step;
        step *= dims[dim];
    }
    return strides;
}

std::array<std::int64_t, kMaxRank> row_major_strides(std::span<const std::int32_t> dims) {
    constexpr std::array<int, kMaxRank> order{0, 1, 2, 3, 4, 5};
    return strides_in_order(dims, std::span(order).first(dims.size()));
}

bool is_row_major(const DeviceTensor& tensor) {
    const auto rank = static_cast<std::size_t>(tensor.rank);
    const auto wanted = row_major_strides(std::span(tensor.dims).first(rank));
    for (std::size_t i = 0; i < rank; ++i) {
        if (tensor.dims[i] != 1 && tensor.strides[i] != wanted[i]) return false;
    }
    return true;
}

}  // namespace okksim::kernels
