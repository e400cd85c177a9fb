// SPDX-License-Identifier: Apache-2.0
// Moves between space and depth, and between space and batch. TOSA's rank limit of 6 permits only
// one or two directions per TRANSPOSE, so these functions treat direction by direction.
#include <numeric>

#include "sim/graph/compose/host_values.h"
#include "sim/graph/compose/moves.h"

namespace okksim::sim::graph::compose {

namespace {

/// Returns the dimensions other than the batch and the channels.
std::vector<std::size_t> spatial_axes(std::size_t rank, std::size_t channel_axis) {
    std::vector<std::size_t> result;
    for (std::size_t i = 1; i < rank; ++i) {
        if (i != channel_axis) result.push_back(i);
    }
    return result;
}

/// Splits `size` off the start or the end of an axis, and puts it before or after the elements of
/// another axis. This is one TRANSPOSE of at most six dimensions.
struct Move {
    std::size_t from;
    bool takes_front;  ///< else the end of `from`
    std::size_t to;
    bool puts_front;  ///< else after the elements of `to`
    std::int64_t size;
};

TensorIndex moved_part(OperatorBuilder& ops, TensorIndex x, const Move& move) {
    const Shape shape = ops.shape(x);
    const std::size_t low = std::min(move.from, move.to), high = std::max(move.from, move.to);
    Shape split{extent(shape, 0, low)};
    std::int32_t part = 0;
    const auto add_axis = [&](std::size_t axis) {
        if (axis == move.from) {
            const std::int64_t rest = shape[axis] / move.size;
            part = static_cast<std::int32_t>(split.size()) + (move.takes_front ? 0 : 1);
            split.push_back(move.takes_front ? move.size : rest);
            split.push_back(move.takes_front ? rest : move.size);
        } else {
            split.push_back(shape[axis]);
        }
    };
    add_axis(low);
    split.push_back(extent(shape, low + 1, high));
    add_axis(high);
    split.push_back(extent(shape, high + 1, shape.size()));
    // `to` is the axis without the part: dimension 1, or the second-last one.
    const auto target = static_cast<std::int32_t>(move.to == low ? 1 : split.size() - 2);
    std::vector<std::int32_t> perms;
    for (std::int32_t i = 0; i < static_cast<std::int32_t>(split.size()); ++i) {
        if (i == part) continue;
        if (i == target && move.puts_front) perms.push_back(part);
        perms.push_back(i);
        if (i == target && !move.puts_front) perms.push_back(part);
    }
    Shape result = shape;
    result[move.from] /= move.size;
    result[move.to] *= move.size;
    const TensorIndex blocks = ops.reshape(x, split, "blocks");
    return ops.reshape(ops.transpose(blocks, perms, "moved_blocks"), result, "unblocked");
}

}  // namespace

TensorIndex depth_to_space(OperatorBuilder& ops, TensorIndex x, std::int64_t block,
                           BlockOrder order, std::size_t channel_axis) {
    const auto axes = spatial_axes(ops.rank(x), channel_axis);
    // Channels are [block..., depth] for DCR and [depth, block...] for CRD. The outermost block
    // of DCR is at the start; the innermost one of CRD is at the end.
    const bool is_dcr = order == BlockOrder::kDcr;
    for (std::size_t i = 0; i < axes.size(); ++i) {
        const std::size_t axis = is_dcr ? axes[i] : axes[axes.size() - 1 - i];
        x = moved_part(ops, x, {channel_axis, is_dcr, axis, false, block});
    }
    return x;
}

TensorIndex space_to_depth(OperatorBuilder& ops, TensorIndex x, std::int64_t block,
                           std::size_t channel_axis) {
    const auto axes = spatial_axes(ops.rank(x), channel_axis);
    for (std::size_t i = axes.size(); i-- > 0;) {
        x = moved_part(ops, x, {axes[i], false, channel_axis, true, block});
    }
    return x;
}

TensorIndex space_to_batch_nd(OperatorBuilder& ops, TensorIndex x,
                              const std::vector<std::int64_t>& block, const Shape& padding,
                              double value) {
    Shape all(2 * ops.rank(x), 0);
    std::copy(padding.begin(), padding.end(), all.begin() + 2);
    x = pad(ops, x, all, PadMode::kConstant, value);
    for (std::size_t i = block.size(); i-- > 0;) {
        x = moved_part(ops, x, {1 + i, false, 0, true, block[i]});
    }
    return x;
}

TensorIndex batch_to_space_nd(OperatorBuilder& ops, TensorIndex x,
                              const std::vector<std::int64_t>& block, const Shape& crops) {
    for (std::size_t i = 0; i < block.size(); ++i) {
        x = moved_part(ops, x, {0, true, 1 + i, false, block[i]});
    }
    for (std::size_t i = 0; i < block.size(); ++i) {
        const std::int64_t size = ops.shape(x)[1 + i] - crops[2 * i] - crops[2 * i + 1];
        x = part(ops, x, 1 + i, crops[2 * i], size);
    }
    return x;
}

}  // namespace okksim::sim::graph::compose
