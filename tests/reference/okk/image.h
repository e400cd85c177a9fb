// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <vector>

namespace okksim::tests::reference {

/// A plain memory image of a machine: the local memories of all lanes and windows of system memory.
struct Image {
    struct Window {
        std::uint64_t start = 0;
        std::vector<std::uint8_t> bytes;
    };

    Image(int lane_count, std::int64_t bytes_per_lane, std::uint8_t fill);

    int lanes;
    std::int64_t lane_bytes;
    int line_bytes = 128;             ///< of a vector, to which the aligned layout aligns
    std::vector<std::uint8_t> local;  ///< lane k occupies [k * lane_bytes, (k + 1) * lane_bytes)
    std::vector<Window> system;

    /// `count` bytes of one lane; std::out_of_range when they leave the lane.
    std::uint8_t* lane_at(std::int64_t lane, std::int64_t offset, std::int64_t count);
    /// `count` bytes of system memory; std::out_of_range when no window holds them.
    std::uint8_t* system_at(std::uint64_t address, std::int64_t count);
};

}  // namespace okksim::tests::reference
