// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include "kernels/conv/channel_vectors.h"
#include "kernels/conv/problem.h"
#include "kernels/prim/local_tensor.h"

namespace okksim::kernels::conv {

/// Bias values of all output channels in local memory, compact, split into parts that fit the form
/// of the sum. fp32 has one part. int32 has two: the lower half as fp32 and the upper half in
/// place. int48 has three parts as fp32.
class BiasParts {
 public:
    /// Bytes per lane for `channels` channels.
    static std::uint32_t bytes(const Bias& bias, std::int32_t channels, int lanes);

    /// Parts at `address`, now or after load(). The bias must outlive this object.
    BiasParts(const Bias& bias, std::int32_t channels, local_addr_t address, int lanes)
        : bias_(bias), channels_(channels), lanes_(lanes), parts_(address, channels, lanes) {}
    /// Loads and splits the values; serial mode. `scratch` holds at least a few planes of one
    /// channel slot, and channels are handled in rounds of that size.
    void load(prim::Scratch& scratch) const;

    bool present() const { return bias_.present; }
    /// Converts the upper half of int32 values to fp32, for SumRule::upper_bias_as_float(). Serial
    /// mode.
    void upper_half_to_float() const;
    /// Address of a part for the channel `first` of a tile, a multiple of the lanes.
    local_addr_t part(int index, std::int32_t first) const { return parts_.at(index, first); }

 private:
    void prepare(std::int32_t first, std::int32_t count, prim::Scratch& scratch) const;
    prim::LocalTensor vector(int index, std::int32_t first, std::int32_t count) const;

    const Bias& bias_;
    std::int32_t channels_;
    int lanes_;
    ChannelVectors parts_;
};

}  // namespace okksim::kernels::conv
