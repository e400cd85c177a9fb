// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include "kernels/call/tensor.h"

namespace okksim::kernels::conv {

/// Feature maps. The address is that of the element with all indices 0.
struct FeatureMaps {
    std::uint64_t address = 0;
    tosa::DType type = tosa::DType::kUnknown;
    std::int64_t image = 0, channel = 0, z = 0, y = 0, x = 0;  ///< strides in elements
};

/// Feature maps [N, H, W, C] or [N, D, H, W, C].
FeatureMaps feature_maps(const DeviceTensor& tensor);

}  // namespace okksim::kernels::conv
