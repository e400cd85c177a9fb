// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>

#include "isa/types.h"

namespace okksim::models {

/// Local memories of all lanes. Fresh memory holds kPoisonByte everywhere. Lanes are independent
/// arrays: their distance on the host is not bytes_per_lane(). Use at(), floats(), words() or
/// pointer(), and never arithmetic from one lane to the next. The 64 bytes after each lane may be
/// read (never written), so that loops may load whole vectors. Not thread safe, except that
/// disjoint bytes may be written concurrently.
class LocalMemory {
 public:
    static constexpr std::byte kPoisonByte{0xCD};

    /// `fresh`: content of memory before the first write.
    explicit LocalMemory(const isa::MachineShape& machine, std::byte fresh = kPoisonByte);
    ~LocalMemory();
    LocalMemory(const LocalMemory&) = delete;
    LocalMemory& operator=(const LocalMemory&) = delete;

    std::int32_t lanes() const { return lanes_; }
    std::int64_t bytes_per_lane() const { return bytes_per_lane_; }
    /// Bytes of a vector, the alignment of aligned layouts.
    std::int32_t line_bytes() const { return line_bytes_; }
    /// Capacity of all lanes: one past the highest local address.
    std::int64_t bytes() const { return lanes_ * bytes_per_lane_; }

    std::byte* at(std::int32_t lane, std::int64_t offset) {
        return storage_ + lane * lane_pitch_ + offset;
    }
    const std::byte* at(std::int32_t lane, std::int64_t offset) const {
        return storage_ + lane * lane_pitch_ + offset;
    }
    float* floats(std::int32_t lane, std::int64_t offset) {
        return reinterpret_cast<float*>(at(lane, offset));
    }
    std::uint32_t* words(std::int32_t lane, std::int64_t offset) {
        return reinterpret_cast<std::uint32_t*>(at(lane, offset));
    }
    /// Returns the byte at a local address below bytes(). The pointer is valid up to the end of its
    /// lane.
    std::byte* pointer(isa::LocalAddr addr) {
        return at(static_cast<std::int32_t>(addr.value / bytes_per_lane_),
                  addr.value % bytes_per_lane_);
    }

    /// Host distance from one lane's first byte to the next lane's, in bytes.
    std::int64_t lane_pitch() const { return lane_pitch_; }
    /// The whole host block, for snapshots and comparisons: lane k starts at k * lane_pitch().
    std::byte* storage() { return storage_; }
    const std::byte* storage() const { return storage_; }
    std::int64_t storage_bytes() const { return lanes_ * lane_pitch_; }

 private:
    std::int32_t lanes_;
    std::int64_t bytes_per_lane_;
    std::int32_t line_bytes_;
    std::int64_t lane_pitch_;
    std::byte fresh_;
    std::byte* storage_ = nullptr;
};

}  // namespace okksim::models
