// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <functional>
#include <vector>

#include "kernels/tiling/resize_axis.h"

namespace okksim::kernels {

/// What RESIZE walks over: images of one or more batches, whose channels go over the lanes.
struct ResizeSpace {
    ResizeAxis y, x;
    std::int64_t batches = 1;
    std::int64_t channels = 1;
};

/// A block of the output and the input that it needs; input positions may lie one outside. Images
/// of few channels are cut into bands of rows, one per lane: then `bands` is their number, the
/// block is the first band of one channel, and the next ones follow at equal distances inside the
/// image.
struct ResizeTile {
    std::int64_t batch = 0;
    std::int64_t channel = 0, channels = 1;
    std::int64_t bands = 0;
    std::int64_t out_y = 0, out_h = 1, out_x = 0, out_w = 1;
    std::int64_t in_y = 0, in_h = 1, in_x = 0, in_w = 1;
};

/// The space cut into tiles that each `fits`, with at most `lanes` bands.
std::vector<ResizeTile> cut_resize_tiles(const ResizeSpace& space, std::int64_t lanes,
                                         const std::function<bool(const ResizeTile&)>& fits);

}  // namespace okksim::kernels
