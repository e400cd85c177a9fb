// SPDX-License-Identifier: Apache-2.0
#include "kernels/conv/feature_maps.h"

namespace okksim::kernels::conv {

FeatureMaps feature_maps(const DeviceTensor& tensor) {
    const auto last = static_cast<std::size_t>(tensor.rank - 1);
    FeatureMaps maps;
    maps.address = tensor.address;
    maps.type = tensor.type;
    maps.image = tensor.strides[0];
    maps.z = tensor.rank == 5 ? tensor.strides[1] : 0;
    maps.y = tensor.strides[last - 2];
    maps.x = tensor.strides[last - 1];
    maps.channel = tensor.strides[last];
    return maps;
}

}  // namespace okksim::kernels::conv
