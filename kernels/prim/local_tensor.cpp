// SPDX-License-Identifier: Apache-2.0
#include "kernels/prim/local_tensor.h"

#include "isa/base/errors.h"

namespace okksim::kernels::prim {

LocalTensor channel_vector(local_addr_t address, const dim4& shape) {
    return {address, shape, dim4{0, 1, 0, 0}};
}

LocalTensor Scratch::take(const dim4& shape) {
    const std::uint32_t bytes = plane_bytes(shape, lanes_);
    OKKSIM_CHECK(bytes <= end_ - next_);
    const LocalTensor plane{next_, shape, std::nullopt};
    next_ += bytes;
    return plane;
}

}  // namespace okksim::kernels::prim
