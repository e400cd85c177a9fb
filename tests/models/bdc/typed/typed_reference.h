// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <vector>

#include "isa/command.h"
#include "isa/types.h"
#include "models/memory/local_memory.h"

namespace okksim::tests {

/// Bytes of the lanes of a local memory.
class LaneImage {
 public:
    LaneImage(std::int32_t lanes, std::int64_t bytes_per_lane)
        : lanes_(static_cast<std::size_t>(lanes),
                 std::vector<std::uint8_t>(static_cast<std::size_t>(bytes_per_lane))) {}

    std::vector<std::vector<std::uint8_t>>& lanes() { return lanes_; }
    std::uint8_t& at(std::int64_t lane, std::int64_t offset) {
        return lanes_.at(static_cast<std::size_t>(lane)).at(static_cast<std::size_t>(offset));
    }
    void copy_to(models::LocalMemory& memory) const;
    bool operator==(const LaneImage&) const = default;

 private:
    std::vector<std::vector<std::uint8_t>> lanes_;
};

/// Second implementation of the instruction groups beyond the API reference, from
/// firmware/okk_features.h. It computes one element at a time with 128-bit integers and separate
/// address arithmetic. Floating point searches among all numbers of a type. It is slow and obvious
/// on purpose. All results are computed before any is written, in ascending (n, c, h, w) order.
void execute_typed_reference(const isa::Command& command, const isa::MachineShape& machine,
                             LaneImage& image);

}  // namespace okksim::tests
