// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include "kernels/combiner.h"

namespace okksim::kernels {

/// A window that slides along one dimension of a tile: `outputs` windows of `size` positions,
/// `stride` apart; the first begins at position 0.
struct Window {
    std::int32_t size = 1;
    std::int32_t stride = 1;
    std::int32_t outputs = 1;
};

enum class TileAxis : std::uint8_t { kHeight, kWidth };

/// True when fold_windows() needs two more planes per part, of the source's shape.
bool needs_spare(const Window& window, std::int32_t extent);

/// Values of every window along an axis: dst has the source's shape with `outputs` positions along
/// it. Both are (1, c, h, w), dst in the aligned layout, the source any. Short windows combine
/// position by position, long ones from windows of 1, 2, 4, ... positions (a single one from its
/// halves), which are kept in `spare`: planes of the source's shape in the aligned layout.
void fold_windows(const Combiner& combiner, const Values& dst, const Values& source, TileAxis axis,
                  const Window& window, const std::array<Values, 2>& spare, prim::Scratch& scratch);

}  // namespace okksim::kernels
