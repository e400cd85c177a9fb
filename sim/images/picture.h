// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <vector>

namespace okksim::sim::images {

/// A picture: rows from top to bottom, 3 bytes (red, green, blue) per pixel.
struct Picture {
    std::int64_t width = 0;
    std::int64_t height = 0;
    std::vector<std::uint8_t> pixels;
};

}  // namespace okksim::sim::images
