// SPDX-License-Identifier: Apache-2.0
// Rotary embedding.
#include "sim/graph/compose/attention.h"
#include "sim/graph/compose/host_values.h"
#include "sim/graph/compose/real.h"

namespace okksim::sim::graph::compose {

// Interleaved pairs are the last of five dimensions, and pairs of halves are parts of the fourth.
TensorIndex rotary_embedding(OperatorBuilder& ops, TensorIndex x, TensorIndex cosines,
                             TensorIndex sines, const RotaryOptions& options) {
    const Shape shape = ops.shape(x);
    const std::int64_t rotated = options.rotated == 0 ? shape[3] : options.rotated;
    const std::int64_t pairs = rotated / 2;
    const std::size_t axis = options.interleaved ? 4 : 3;
    const std::int64_t width = options.interleaved ? 1 : pairs;
    Shape split{shape[0], shape[1], shape[2], rotated};
    if (options.interleaved) split = {shape[0], shape[1], shape[2], pairs, 2};
    const auto angles = [&](TensorIndex cache) {
        Shape placed{ops.shape(cache)[0], 1, shape[2], pairs};
        if (options.interleaved) placed.push_back(1);
        const TensorIndex values = reshaped(ops, cache, placed);
        return Real(ops, ops.cast(values, DType::kFp32, "angles"));
    };
    const Real cosine = angles(cosines);
    const Real sine = angles(sines);
    const TensorIndex turning = ops.reshape(part(ops, x, 3, 0, rotated), split, "pairs");
    const TensorIndex wide = ops.cast(turning, DType::kFp32, "widened");
    const Real first(ops, part(ops, wide, axis, 0, width));
    const Real second(ops, part(ops, wide, axis, width, width));
    const Real turned_first = first * cosine - second * sine;
    const Real turned_second = first * sine + second * cosine;
    const TensorIndex both =
        ops.concat({turned_first.tensor(), turned_second.tensor()}, axis, "turned");
    const TensorIndex turned = ops.reshape(ops.cast(both, ops.type(x), "narrowed"),
                                           {shape[0], shape[1], shape[2], rotated}, "rotated");
    if (rotated == shape[3]) return turned;
    return ops.concat({turned, part(ops, x, 3, rotated, shape[3] - rotated)}, 3, "with_rest");
}

TensorIndex rotary_rows(OperatorBuilder& ops, TensorIndex cache, TensorIndex positions) {
    const Shape shape = ops.shape(positions);
    const std::int64_t width = ops.shape(cache)[1];
    const TensorIndex values = reshaped(ops, cache, {1, ops.shape(cache)[0], width});
    const TensorIndex indices = ops.reshape(positions, {1, shape[0] * shape[1]}, "positions");
    const TensorIndex rows = ops.gather(values, indices, "rows");
    return ops.reshape(rows, {shape[0], shape[1], width}, "cache_rows");
}

TensorIndex rotary_rows(OperatorBuilder& ops, TensorIndex cache, std::int64_t first,
                        std::int64_t count) {
    const TensorIndex rows = part(ops, cache, 0, first, count);
    return reshaped(ops, rows, {1, count, ops.shape(cache)[1]});
}

}  // namespace okksim::sim::graph::compose
