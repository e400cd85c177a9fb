// SPDX-License-Identifier: Apache-2.0
#include "sim/planning/describe_value.h"

#include <algorithm>
#include <span>
#include <vector>

#include "isa/base/errors.h"

namespace okksim::sim::planning {

using kernels::DeviceTensor;

DeviceTensor describe_value(const graph::Tensor& tensor, StorageOrder order) {
    OKKSIM_CHECK(tensor.shape.size() <= kernels::kMaxRank);
    DeviceTensor value;
    value.type = tensor.type;
    value.rank = static_cast<int>(tensor.shape.size());
    for (std::size_t i = 0; i < tensor.shape.size(); ++i) {
        value.dims[i] = static_cast<std::int32_t>(tensor.shape[i]);
    }
    std::vector<int> dims;
    for (int i = 0; i < value.rank; ++i) dims.push_back(i);
    if (order == StorageOrder::kChannelFirst && value.rank >= 3) {
        std::rotate(dims.begin() + 1, dims.end() - 1, dims.end());
    }
    value.strides = kernels::strides_in_order(
        std::span(value.dims).first(static_cast<std::size_t>(value.rank)), dims);
    return value;
}

}  // namespace okksim::sim::planning
