// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include "isa/base/errors.h"
#include "isa/layout.h"
#include "kernels/conv/block_transfer.h"
#include "kernels/prim/local_tensor.h"

namespace okksim::kernels::conv {

/// Vectors of one word per output channel in local memory, compact, one after the other.
class ChannelVectors {
 public:
    /// Bytes per lane of `count` vectors.
    static std::uint32_t bytes(int count, std::int32_t channels, int lanes) {
        return static_cast<std::uint32_t>(count) *
               static_cast<std::uint32_t>(isa::div_up(channels, lanes)) * 4;
    }

    ChannelVectors() = default;
    ChannelVectors(local_addr_t address, std::int32_t channels, int lanes)
        : address_(address), channels_(channels), lanes_(lanes) {}

    /// Loads `count` vectors from system memory; strides in words.
    void load(std::uint64_t from, int count, std::int64_t vector_stride,
              std::int64_t channel_stride) const {
        load_block(address_, from,
                   {4,
                    {count, channels_, 1, 1},
                    {vector_stride, channel_stride, 0, 0},
                    {bytes(1, channels_, lanes_) / 4, 1, 0, 0}});
    }
    /// Address of vector `index` at channel `first` of a tile, a multiple of the lanes.
    local_addr_t at(int index, std::int32_t first) const {
        OKKSIM_CHECK(first % lanes_ == 0);
        return address_ + bytes(index, channels_, lanes_) +
               static_cast<local_addr_t>(first / lanes_) * 4;
    }

 private:
    local_addr_t address_ = 0;
    std::int32_t channels_ = 0;
    int lanes_ = 1;
};

}  // namespace okksim::kernels::conv
