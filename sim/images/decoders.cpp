// SPDX-License-Identifier: Apache-2.0
#include "sim/images/decoders.h"

#include "isa/base/errors.h"

namespace okksim::sim::images {

void require_size(std::uint64_t width, std::uint64_t height, const std::string& name) {
    // 400 megabytes of pixels. Larger pictures are panoramas or damaged headers.
    constexpr std::uint64_t kMostPixels = std::uint64_t{1} << 27;
    if (width > 0 && height > 0 && width <= kMostPixels / height) return;
    throw ConfigError(name, "the picture has " + std::to_string(width) + "x" +
                                std::to_string(height) + " pixels; at most " +
                                std::to_string(kMostPixels) + " are allowed: make it smaller");
}

}  // namespace okksim::sim::images
