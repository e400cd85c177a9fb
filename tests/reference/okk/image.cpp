// SPDX-License-Identifier: Apache-2.0
#include "tests/reference/okk/image.h"

#include <stdexcept>
#include <string>

namespace okksim::tests::reference {

Image::Image(int lane_count, std::int64_t bytes_per_lane, std::uint8_t fill)
    : lanes(lane_count),
      lane_bytes(bytes_per_lane),
      local(static_cast<std::size_t>(lane_count * bytes_per_lane), fill) {}

std::uint8_t* Image::lane_at(std::int64_t lane, std::int64_t offset, std::int64_t count) {
    if (lane < 0 || lane >= lanes || offset < 0 || offset + count > lane_bytes) {
        throw std::out_of_range("lane " + std::to_string(lane) + " offset " +
                                std::to_string(offset) + " is outside local memory");
    }
    return local.data() + lane * lane_bytes + offset;
}

std::uint8_t* Image::system_at(std::uint64_t address, std::int64_t count) {
    for (Window& window : system) {
        if (address < window.start) continue;
        const std::uint64_t offset = address - window.start;
        if (offset + static_cast<std::uint64_t>(count) <= window.bytes.size()) {
            return window.bytes.data() + offset;
        }
    }
    throw std::out_of_range("system address " + std::to_string(address) + " is in no window");
}

}  // namespace okksim::tests::reference
