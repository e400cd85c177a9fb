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

/// A block of the output and the input that it needs; input positions may lie one outside.
struct ResizeTile {
    std::int64_t batch = 0;
    std::int64_t channel = 0, channels = 1;
    std::int64_t out_y = 0, out_h = 1, out_x = 0, out_w = 1;
    std::int64_t in_y = 0, in_h = 1, in_x = 0, in_w = 1;
};

/// Extents of the largest tile that `fits`; its input extents are upper bounds for every tile of
/// these output extents. Channels are all of them or a multiple of `lanes`.
ResizeTile choose_resize_tile(const ResizeSpace& space, std::int64_t lanes,
                              const std::function<bool(const ResizeTile&)>& fits);

/// The space cut into tiles of at most these extents.
std::vector<ResizeTile> cut_resize_tiles(const ResizeSpace& space, const ResizeTile& largest);

}  // namespace okksim::kernels
