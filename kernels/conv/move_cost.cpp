// SPDX-License-Identifier: Apache-2.0
#include "kernels/conv/move_cost.h"

#include <algorithm>

namespace okksim::kernels::conv {
namespace {

// The reference machine, rounded. Nanoseconds.
constexpr double kMoveStart = 1300;  // per command, with the memory's latency
constexpr double kRunSwitch = 17.3;
constexpr double kPiece = 0.15;
constexpr double kShiftedByte = 0.75 / 32 / 0.575;  // of shifted pieces, up to 256 bytes

}  // namespace

double move_nanoseconds(const MoveLayout& layout, double per_byte) {
    const double bytes = layout.runs * layout.run_bytes;
    double memory = bytes * per_byte;
    if (layout.runs > 1 && layout.pitch_bytes > layout.run_bytes) {
        const double gap = layout.pitch_bytes - layout.run_bytes;
        memory = layout.runs *
                 (std::max(layout.run_bytes, std::min<double>(layout.pitch_bytes, kGridBytes)) *
                      per_byte +
                  std::min({kRunSwitch, layout.run_bytes * per_byte, gap * per_byte}));
    }
    double piece = kPiece;
    if (!layout.on_grid) piece += std::min(bytes / layout.pieces, 256.0) * kShiftedByte;
    return kMoveStart + memory + layout.pieces * piece;
}

MoveLayout plane_layout(const FeatureMaps& maps, std::int64_t images, std::int64_t channels,
                        std::int64_t rows, std::int64_t columns, std::int64_t plane) {
    const int bytes = stored_bytes(maps.type);
    MoveLayout layout;
    if (maps.channel == 1) {  // channels are innermost: single elements go to the lanes
        layout.pieces = static_cast<double>(images * channels * rows * columns);
        layout.run_bytes = layout.pieces * bytes;
        layout.on_grid = false;
        return layout;
    }
    if (maps.x != 1 && columns > 1) {  // single elements lie apart
        layout.pieces = layout.runs = static_cast<double>(images * channels * rows * columns);
        layout.run_bytes = bytes;
        layout.pitch_bytes = static_cast<double>(maps.x * bytes);
        layout.on_grid = false;
        return layout;
    }
    const bool whole_rows = maps.y == columns * maps.x || rows == 1;
    const bool whole_planes = rows * columns == plane;
    const std::int64_t lines = whole_rows ? 1 : rows;
    layout.pieces = static_cast<double>(images * channels * lines);
    layout.runs = whole_planes ? 1 : layout.pieces;
    layout.run_bytes =
        static_cast<double>(images * channels * rows * columns * bytes) / layout.runs;
    layout.pitch_bytes = static_cast<double>((whole_rows ? maps.channel : maps.y) * bytes);
    layout.on_grid = maps.channel * bytes % kGridBytes == 0 &&
                     (whole_planes || rows * columns * bytes % kGridBytes == 0);
    return layout;
}

}  // namespace okksim::kernels::conv
