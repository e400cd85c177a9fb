// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <vector>

#include "kernels/call/constant_memory.h"
#include "kernels/pool/pool_plan.h"
#include "kernels/prim/rescale.h"

/// Conversion of window sums to means in AVG_POOL2D. The divisor is the number of elements in each
/// window, which is known from shapes. If it differs between windows, planes hold the constants of
/// every output position. They are prepared once, like weights (prepared_constants.h).
namespace okksim::kernels {

template <typename Attributes>
PoolShape pool_shape(const OperatorCall& call, const Attributes& attributes) {
    const DeviceTensor& input = call.inputs[0];
    const DeviceTensor& output = call.outputs[0];
    return {attributes.kernel,
            attributes.stride,
            {attributes.pad[0], attributes.pad[2]},
            {input.dims[1], input.dims[2]},
            {output.dims[1], output.dims[2]}};
}

struct PoolMeans {
    Combination sum = Combination::kFloatSum;
    bool in_float = true;  ///< sums are fp32
    float scale = 1.0f;    ///< divisor of the terms, so that sums of finite terms stay finite
    /// One per number of elements that windows contain, ascending: for floating point, and for
    /// integers.
    std::vector<float> factors;
    std::vector<prim::ScaleFactor> scales;

    std::uint64_t argument_words() const {
        return 5 + kernels::argument_words(factors) + kernels::argument_words(scales);
    }
};

PoolMeans pool_means(const OperatorCall& call);
/// Rescale of integer sums by `means`; the range is that of int8 or int16.
prim::Rescale mean_rescale(const PoolMeans& means, tosa::DType type, std::int32_t zero_point,
                           const Lanes& lanes);

/// Bytes of all planes of constants; 0: none are needed.
std::uint64_t pool_map_bytes(const OperatorCall& call);
/// Writes the planes to call.prepared, one after the other, row-major.
void store_pool_maps(const OperatorCall& call, const ConstantMemory& memory);

}  // namespace okksim::kernels
