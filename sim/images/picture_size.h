// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "sim/images/picture.h"

namespace okksim::sim::images {

/// The way to bring a picture to another size.
enum class Resize : std::uint8_t {
    kCrop,     ///< keeps the proportions, and cuts off equal edges
    kFit,      ///< keeps the proportions and the whole picture, with black edges
    kStretch,  ///< changes the proportions
};

/// Returns the picture in another size. The filter is bilinear; where it makes the picture smaller,
/// it averages over all pixels of the source.
Picture resized(const Picture& picture, std::int64_t width, std::int64_t height, Resize way);

}  // namespace okksim::sim::images
