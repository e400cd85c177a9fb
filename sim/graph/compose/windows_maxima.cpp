// SPDX-License-Identifier: Apache-2.0
// Maxima of windows with their indices.
#include "sim/graph/compose/host_values.h"
#include "sim/graph/compose/moves.h"
#include "sim/graph/compose/window_fit.h"
#include "sim/graph/compose/windows.h"

namespace okksim::sim::graph::compose {

namespace {

/// Positions of the taps of all windows in a flat feature map.
struct Taps {
    std::vector<std::int64_t> counts;     ///< of windows
    std::vector<std::int64_t> positions;  ///< [windows, taps]; `spatial` for taps outside
    std::vector<std::int64_t> bases;      ///< flat index in the file's order, of tap 0
    std::vector<std::int64_t> offsets;    ///< of each tap from its window's base
};

/// Returns the steps of a spatial shape, with the last direction as the slowest if `column_major`.
Shape index_steps(const Shape& spatial, bool column_major) {
    if (!column_major) return row_steps(spatial);
    Shape steps = row_steps({spatial.rbegin(), spatial.rend()});
    return {steps.rbegin(), steps.rend()};
}

Taps taps_of(const Windows& windows, const Shape& spatial, bool ceil_mode, bool column_major) {
    Taps result;
    Shape kernel;
    for (std::size_t i = 0; i < windows.size(); ++i) {
        result.counts.push_back(window_count(windows[i], spatial[i], ceil_mode));
        kernel.push_back(windows[i].kernel);
    }
    const Shape places = row_steps(spatial), steps = index_steps(spatial, column_major);
    Shape window(spatial.size(), 0);
    do {
        std::int64_t base = 0;
        for (std::size_t i = 0; i < windows.size(); ++i) {
            base += (window[i] * windows[i].stride - windows[i].before) * steps[i];
        }
        result.bases.push_back(base);
        Shape tap(spatial.size(), 0);
        do {
            bool is_inside = true;
            std::int64_t position = 0, offset = 0;
            for (std::size_t i = 0; i < windows.size(); ++i) {
                const std::int64_t moved = tap[i] * windows[i].dilation;
                const std::int64_t at = window[i] * windows[i].stride - windows[i].before + moved;
                is_inside = is_inside && at >= 0 && at < spatial[i];
                position += at * places[i];
                offset += moved * steps[i];
            }
            result.positions.push_back(is_inside ? position : extent(spatial));
            if (result.bases.size() == 1) result.offsets.push_back(offset);
        } while (next_position(tap, kernel));
    } while (next_position(window, result.counts));
    return result;
}

/// Returns the flat index of each maximum from its tap, both [N, windows, C].
TensorIndex flat_indices(OperatorBuilder& ops, TensorIndex tap, const Taps& taps,
                         std::int64_t spatial) {
    const Shape shape = ops.shape(tap);
    const auto count = static_cast<std::int64_t>(taps.offsets.size());
    const TensorIndex offsets = index_values(ops, {1, count, 1}, taps.offsets, "tap_offsets");
    const TensorIndex list = ops.reshape(tap, {1, extent(shape)}, "tap_list");
    const TensorIndex offset = ops.reshape(ops.gather(offsets, list, "offset"), shape, "offsets");
    const TensorIndex bases = index_values(ops, {1, shape[1], 1}, taps.bases, "window_bases");
    std::vector<std::int64_t> maps;
    for (std::int64_t i = 0; i < shape[0] * shape[2]; ++i) maps.push_back(i * spatial);
    const TensorIndex starts = index_values(ops, {shape[0], 1, shape[2]}, maps, "map_starts");
    return ops.binary(OpCode::kAdd, ops.binary(OpCode::kAdd, offset, bases, "in_map"), starts,
                      "indices");
}

/// Reshapes [N, spatial..., C] to the flat list of [N, C, spatial...].
TensorIndex flat_list(OperatorBuilder& ops, TensorIndex x, const Shape& result) {
    const Shape shape = ops.shape(x);
    const TensorIndex elements =
        ops.reshape(x, {shape[0], extent(shape, 1, shape.size() - 1), shape.back()}, "elements");
    return ops.reshape(ops.transpose(elements, {0, 2, 1}, "channels_first"), result, "list");
}

}  // namespace

PoolMaxima max_pool_with_indices(OperatorBuilder& ops, TensorIndex x, const Windows& windows,
                                 bool ceil_mode, bool column_major) {
    const Shape maps = ops.shape(x);
    const DType type = ops.type(x);
    const Shape spatial(maps.begin() + 1, maps.end() - 1);
    const std::int64_t size = extent(spatial), batch = maps[0], channels = maps.back();
    const Taps taps = taps_of(windows, spatial, ceil_mode, column_major);
    const std::int64_t count = extent(taps.counts);
    const auto per_window = static_cast<std::int64_t>(taps.offsets.size());
    // Taps outside read the additional element, which is never greater than another one.
    const TensorIndex elements = ops.reshape(x, {batch, size, channels}, "elements");
    const TensorIndex outside = filled(ops, type, {batch, 1, channels}, lowest_value(type));
    const TensorIndex all = ops.concat({elements, outside}, 1, "with_outside");
    const TensorIndex list = ops.tile(
        index_values(ops, {1, count * per_window}, taps.positions, "taps"), {batch, 1}, "taps_all");
    const TensorIndex taken = ops.reshape(ops.gather(all, list, "taken"),
                                          {batch, count, per_window, channels}, "windows");
    const Shape result = map_shape(maps, taps.counts);
    const TensorIndex maxima = ops.reshape(ops.reduce_max(taken, 2, "maxima"), result, "maps");
    const TensorIndex tap =
        ops.block().add(OpCode::kArgmax, ArgmaxAttributes{2, NanPropagationMode::kPropagate},
                        {taken}, DType::kI32, {batch, count, channels}, "tap");
    return {maxima, ops.reshape(flat_indices(ops, tap, taps, size), result, "index_maps")};
}

TensorIndex max_unpool(OperatorBuilder& ops, TensorIndex x, TensorIndex indices,
                       const Shape& result) {
    const std::int64_t count = extent(ops.shape(x)), size = extent(result);
    const TensorIndex values = flat_list(ops, x, {1, count, 1});
    const TensorIndex list = flat_list(ops, indices, {1, count});
    const TensorIndex zeros = filled(ops, ops.type(x), {1, size, 1}, 0);
    const TensorIndex all = ops.block().add(OpCode::kScatter, NoAttributes{}, {zeros, list, values},
                                            ops.type(x), {1, size, 1}, "unpooled");
    const TensorIndex maps =
        ops.reshape(all, {result[0], result.back(), size / (result[0] * result.back())}, "maps");
    return ops.reshape(ops.transpose(maps, {0, 2, 1}, "channels_last"), result, "result");
}

}  // namespace okksim::sim::graph::compose
