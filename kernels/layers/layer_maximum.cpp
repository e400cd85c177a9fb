// SPDX-License-Identifier: Apache-2.0
#include "kernels/layers/layer_maximum.h"

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

/// The map with its padding, and the same where rows are folded to the results' width.
struct Shapes {
    dim4 padded, folded;
};

Shapes shapes_of(const Layer& layer, const LayerWork& work) {
    const Padding& zeros = layer.zeros;
    const int height = layer.in.h + zeros.top + zeros.bottom;
    const int width = layer.in.w + zeros.left + zeros.right;
    return {{1, work.channels.size(), height, width},
            {1, work.channels.size(), height, layer.out.w}};
}

Window across(const Layer& layer) { return {layer.kernel.w, layer.stride.w, layer.out.w}; }
Window down(const Layer& layer) { return {layer.kernel.h, layer.stride.h, layer.out.h}; }

FoldOrder order_of(const Window& window) {
    return pairs_save_commands(window.size) ? FoldOrder::kPairs : FoldOrder::kInTurn;
}

bool has_spare(const Layer& layer) {
    return needs_spare(across(layer), order_of(across(layer))) ||
           needs_spare(down(layer), order_of(down(layer)));
}

/// The source with its padding around it.
void place_padded(const Layer& layer, const LocalTensor& whole, const LocalTensor& source,
                  std::uint32_t neutral, const Lanes& lanes) {
    if (!layer.padded()) return prim::raw::copy(whole, source);
    prim::raw::fill(whole, neutral);
    const dim4& shape = whole.shape;
    const auto offset = static_cast<local_addr_t>(layer.zeros.top * shape.w + layer.zeros.left);
    const auto channel = isa::narrow(lanes.whole_lines(std::int64_t{shape.h} * shape.w));
    prim::raw::copy({whole.address + 4 * offset, source.shape, dim4{0, channel, shape.w, 1}},
                    source);
}

}  // namespace

std::int64_t maximum_scratch_bytes(const Layer& layer, const LayerWork& work, const Lanes& lanes) {
    const Shapes shapes = shapes_of(layer, work);
    const Combiner combiner = combiner_of(layer);
    const std::int64_t padded = prim::plane_bytes(shapes.padded, lanes);
    const std::int64_t whole = 1 + (has_spare(layer) ? 2 : 0);
    const dim4 result{1, work.channels.size(), layer.out.h, layer.out.w};
    return (combiner.parts() * whole + combiner.planes()) * padded +
           combiner.parts() * prim::plane_bytes(shapes.folded, lanes) +
           (combiner.parts() - 1) * prim::plane_bytes(result, lanes);
}

void find_maxima(const Layer& layer, const LayerWork& work, const LocalTensor& source,
                 const LocalTensor& dst, const Lanes& lanes) {
    constexpr std::uint64_t kFolds = 4;  // padding, both axes, the end
    charge(OwnWork::kLayerWork, kFolds);
    const Combiner combiner = combiner_of(layer);
    const Shapes shapes = shapes_of(layer, work);
    prim::Scratch scratch(work.scratch, work.scratch_bytes, lanes);
    prim::Scratch::Frame frame(scratch);
    const auto planes = [&](const dim4& shape, int first = 0) {
        Values values;
        for (int i = first; i < combiner.parts(); ++i) {
            values.part[static_cast<std::size_t>(i)] = frame.plane(shape);
        }
        return values;
    };
    const Values padded = planes(shapes.padded);
    place_padded(layer, padded.part[0], source, combiner.neutral(), lanes);
    combiner.prepare(padded, scratch);
    std::array<Values, 2> spare;
    if (has_spare(layer)) spare = {planes(shapes.padded), planes(shapes.padded)};
    const Values folded = planes(shapes.folded);
    Values result = planes(dst.shape, 1);
    result.part[0] = dst;
    fold_windows(combiner, folded, padded, TileAxis::kWidth, across(layer), order_of(across(layer)),
                 spare, scratch);
    fold_windows(combiner, result, folded, TileAxis::kHeight, down(layer), order_of(down(layer)),
                 spare, scratch);
    combiner.finish(result, scratch);
}

}  // namespace okksim::kernels::layers
