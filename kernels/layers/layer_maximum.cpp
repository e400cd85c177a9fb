// SPDX-License-Identifier: Apache-2.0
#include "kernels/layers/layer_maximum.h"

#include <algorithm>

#include "kernels/call/computing.h"
#include "kernels/pool/window_fold.h"
#include "kernels/prim/raw.h"

namespace okksim::kernels::layers {
namespace {

using prim::LocalTensor;

Combiner combiner_of(const Layer& layer) {
    return {Combination::kFloatMaximum,
            layer.keeps_nan ? prim::NanMode::kPropagate : prim::NanMode::kIgnore};
}

/// Result rows of a part, the source rows that they read, and the padding rows above and below.
struct Rows {
    conv::Range result, source;
    int above = 0, below = 0;
};

Rows rows_of(const Layer& layer, const LayerWork& work) {
    Rows rows;
    rows.result = work.span.size() > 0 ? work.span : conv::Range{0, layer.out.h};
    const int first = rows.result.begin * layer.stride.h - layer.zeros.top;
    const int end = (rows.result.end - 1) * layer.stride.h - layer.zeros.top + layer.kernel.h;
    rows.source = {std::clamp(first, 0, layer.in.h), std::clamp(end, 0, layer.in.h)};
    rows.above = rows.source.begin - first;
    rows.below = end - rows.source.end;
    return rows;
}

/// Shapes of the rows with padding, and of these folded to the results' width.
struct Shapes {
    dim4 padded, folded;
};

Shapes shapes_of(const Layer& layer, const LayerWork& work) {
    const Rows rows = rows_of(layer, work);
    const int height = rows.above + rows.source.size() + rows.below;
    const int width = layer.in.w + layer.zeros.left + layer.zeros.right;
    return {{1, work.channels.size(), height, width},
            {1, work.channels.size(), height, layer.out.w}};
}

Window across(const Layer& layer) { return {layer.kernel.w, layer.stride.w, layer.out.w}; }
Window down(const Layer& layer, const Rows& rows) {
    return {layer.kernel.h, layer.stride.h, rows.result.size()};
}

FoldOrder order_of(const Window& window) {
    return pairs_save_commands(window.size) ? FoldOrder::kPairs : FoldOrder::kInTurn;
}

bool has_spare(const Layer& layer, const Rows& rows) {
    return needs_spare(across(layer), order_of(across(layer))) ||
           needs_spare(down(layer, rows), order_of(down(layer, rows)));
}

/// Rows of a channel slot's plane.
LocalTensor rows_of_plane(const LocalTensor& plane, const conv::Range& rows, const Lanes& lanes) {
    const dim4& shape = plane.shape;
    const auto channel = isa::narrow(lanes.whole_lines(std::int64_t{shape.h} * shape.w));
    return {plane.address + static_cast<local_addr_t>(4 * rows.begin * shape.w),
            {1, shape.c, rows.size(), shape.w},
            dim4{0, channel, shape.w, 1}};
}

/// Copies the source rows and surrounds them with padding.
void place_padded(const Layer& layer, const Rows& rows, const LocalTensor& whole,
                  const LocalTensor& source, std::uint32_t neutral, const Lanes& lanes) {
    const bool padded = rows.above + rows.below + layer.zeros.left + layer.zeros.right > 0;
    const LocalTensor from = rows_of_plane(source, rows.source, lanes);
    if (!padded) return prim::raw::copy(whole, from);
    prim::raw::fill(whole, neutral);
    if (rows.source.size() == 0) return;
    LocalTensor inner = rows_of_plane(whole, {rows.above, rows.above + rows.source.size()}, lanes);
    inner.address += static_cast<local_addr_t>(4 * layer.zeros.left);
    inner.shape.w = source.shape.w;
    prim::raw::copy(inner, from);
}

}  // namespace

std::int64_t maximum_scratch_bytes(const Layer& layer, const LayerWork& work, const Lanes& lanes) {
    const Rows rows = rows_of(layer, work);
    const Shapes shapes = shapes_of(layer, work);
    const Combiner combiner = combiner_of(layer);
    const std::int64_t padded = prim::plane_bytes(shapes.padded, lanes);
    const std::int64_t whole = 1 + (has_spare(layer, rows) ? 2 : 0);
    const dim4 result{1, work.channels.size(), rows.result.size(), layer.out.w};
    return (combiner.parts() * whole + combiner.planes()) * padded +
           combiner.parts() *
               (prim::plane_bytes(shapes.folded, lanes) + prim::plane_bytes(result, lanes));
}

void find_maxima(const Layer& layer, const LayerWork& work, const LocalTensor& source,
                 const LocalTensor& dst, const Lanes& lanes) {
    constexpr std::uint64_t kFolds = 4;  // padding, both axes, the end
    charge(OwnWork::kLayerWork, kFolds);
    const Combiner combiner = combiner_of(layer);
    const Rows rows = rows_of(layer, work);
    const Shapes shapes = shapes_of(layer, work);
    prim::Scratch scratch(work.scratch, work.scratch_bytes, lanes);
    prim::Scratch::Frame frame(scratch);
    const auto planes = [&](const dim4& shape) {
        Values values;
        for (int i = 0; i < combiner.parts(); ++i) {
            values.part[static_cast<std::size_t>(i)] = frame.plane(shape);
        }
        return values;
    };
    const Values padded = planes(shapes.padded);
    place_padded(layer, rows, padded.part[0], source, combiner.neutral(), lanes);
    combiner.prepare(padded, scratch);
    std::array<Values, 2> spare;
    if (has_spare(layer, rows)) spare = {planes(shapes.padded), planes(shapes.padded)};
    const Values folded = planes(shapes.folded);
    // Rows in the middle of a plane are not in the aligned layout, so they are copied.
    const bool whole = rows.result.size() == layer.out.h;
    Values result = planes({1, work.channels.size(), rows.result.size(), layer.out.w});
    if (whole) result.part[0] = dst;
    fold_windows(combiner, folded, padded, TileAxis::kWidth, across(layer), order_of(across(layer)),
                 spare, scratch);
    fold_windows(combiner, result, folded, TileAxis::kHeight, down(layer, rows),
                 order_of(down(layer, rows)), spare, scratch);
    const LocalTensor maxima = combiner.finish(result, scratch);
    if (!whole) prim::raw::copy(rows_of_plane(dst, rows.result, lanes), maxima);
}

}  // namespace okksim::kernels::layers
