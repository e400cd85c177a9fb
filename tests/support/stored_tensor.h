// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cstdint>
#include <vector>

#include "kernels/call/tensor.h"

namespace okksim::tests {

/// A tensor at `address` whose dimensions are stored densely in `order`, outermost first.
inline kernels::DeviceTensor stored_tensor(tosa::DType type, const std::vector<std::int32_t>& dims,
                                           const std::vector<int>& order, std::uint64_t address) {
    kernels::DeviceTensor tensor;
    tensor.address = address;
    tensor.type = type;
    tensor.rank = static_cast<int>(dims.size());
    std::copy(dims.begin(), dims.end(), tensor.dims.begin());
    tensor.strides = kernels::strides_in_order(dims, order);
    return tensor;
}

/// Bytes of one element.
inline std::size_t element_bytes(const kernels::DeviceTensor& tensor) {
    return static_cast<std::size_t>(kernels::stored_bytes(tensor.type));
}

/// Bytes of all elements.
inline std::uint64_t tensor_bytes(const kernels::DeviceTensor& tensor) {
    return static_cast<std::uint64_t>(tensor.count()) * element_bytes(tensor);
}

/// Address of an element; `index` counts in row-major order of the indices.
inline std::uint64_t element_address(const kernels::DeviceTensor& tensor, std::size_t index) {
    std::int64_t offset = 0;
    auto rest = static_cast<std::int64_t>(index);
    for (int i = tensor.rank; i-- > 0;) {
        const auto dim = static_cast<std::size_t>(i);
        offset += rest % tensor.dims[dim] * tensor.strides[dim];
        rest /= tensor.dims[dim];
    }
    return tensor.address + static_cast<std::uint64_t>(offset) * element_bytes(tensor);
}

}  // namespace okksim::tests
