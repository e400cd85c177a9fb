// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>

#include "isa/types.h"

namespace okksim::models {

/// Local memories of all lanes in one block: lane k occupies [k * bytes_per_lane, (k+1) * ...), so a
/// local address is an offset into the block. Fresh memory holds kPoisonByte everywhere and counts
/// as unwritten. Not thread safe, except that disjoint bytes may be written concurrently.
class LocalMemory {
 public:
    static constexpr std::byte kPoisonByte{0xCD};

    LocalMemory(std::int32_t lanes, std::int64_t bytes_per_lane);
    ~LocalMemory();
    LocalMemory(const LocalMemory&) = delete;
    LocalMemory& operator=(const LocalMemory&) = delete;

    std::int32_t lanes() const { return lanes_; }
    std::int64_t bytes_per_lane() const { return bytes_per_lane_; }
    std::int64_t bytes() const { return lanes_ * bytes_per_lane_; }
    std::byte* data() { return data_; }
    const std::byte* data() const { return data_; }
    std::byte* at(std::int32_t lane, std::int64_t offset) {
        return data_ + lane * bytes_per_lane_ + offset;
    }
    float* floats(std::int32_t lane, std::int64_t offset) {
        return reinterpret_cast<float*>(at(lane, offset));
    }
    std::uint32_t* words(std::int32_t lane, std::int64_t offset) {
        return reinterpret_cast<std::uint32_t*>(at(lane, offset));
    }

 private:
    std::int32_t lanes_;
    std::int64_t bytes_per_lane_;
    std::byte* data_;
};

}  // namespace okksim::models
