// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include "kernels/reduction/combiner.h"

namespace okksim::kernels {

/// A window that slides along one dimension of a tile: `outputs` windows of `size` positions,
/// `stride` apart; the first begins at position 0.
struct Window {
    std::int32_t size = 1;
    std::int32_t stride = 1;
    std::int32_t outputs = 1;
};

enum class TileAxis : std::uint8_t { kHeight, kWidth };

/// Order in which windows combine their positions. A single long window always combines its halves.
enum class FoldOrder : std::uint8_t {
    kInTurn,  ///< one after the other
    kPairs,   ///< windows of 1, 2, 4, ... positions, each from two smaller ones
};

/// True if kPairs takes fewer commands than kInTurn for windows of `size` positions.
bool pairs_save_commands(std::int32_t size);
/// True if fold_windows() needs two more planes per part, of the source's shape.
bool needs_spare(const Window& window, FoldOrder order);

/// Values of every window along an axis: dst has the source's shape with `outputs` positions along
/// it. Both are (1, c, h, w), dst in the aligned layout, the source any. `spare`: planes of the
/// source's shape in the aligned layout.
void fold_windows(const Combiner& combiner, const Values& dst, const Values& source, TileAxis axis,
                  const Window& window, FoldOrder order, const std::array<Values, 2>& spare,
                  prim::Scratch& scratch);

}  // namespace okksim::kernels
