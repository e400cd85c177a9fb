// SPDX-License-Identifier: Apache-2.0
// Rotary embedding: x C + (x P) S. P exchanges the elements of each pair and negates the second
// one, and the columns of C and S hold each angle twice.
#include "sim/graph/compose/attention.h"
#include "sim/graph/compose/axes.h"
#include "sim/graph/compose/host_values.h"
#include "sim/graph/compose/real.h"

namespace okksim::sim::graph::compose {

namespace {

/// [B,S,pairs] to [B,1,S,2 pairs].
Real doubled_angles(OperatorBuilder& ops, TensorIndex cache, bool interleaved) {
    const Shape shape = ops.shape(cache);
    const Shape result{shape[0], 1, shape[1], 2 * shape[2]};
    if (!interleaved) {
        const TensorIndex twice = ops.concat({cache, cache}, 2, "twice");
        return widened(ops, ops.reshape(twice, result, "angles"));
    }
    const TensorIndex single = reshaped(ops, cache, {shape[0], shape[1], shape[2], 1});
    const TensorIndex twice = ops.concat({single, single}, 3, "twice");
    return widened(ops, ops.reshape(twice, result, "angles"));
}

/// [1,D,D]: y = x P has y[first] = -x[second] and y[second] = x[first] for each pair.
TensorIndex exchange_of_pairs(OperatorBuilder& ops, DType type, std::int64_t size,
                              bool interleaved) {
    const std::int64_t pairs = size / 2;
    std::vector<double> values(static_cast<std::size_t>(size * size), 0);
    for (std::int64_t i = 0; i < pairs; ++i) {
        const std::int64_t first = interleaved ? 2 * i : i;
        const std::int64_t second = interleaved ? first + 1 : first + pairs;
        values[static_cast<std::size_t>(second * size + first)] = -1;
        values[static_cast<std::size_t>(first * size + second)] = 1;
    }
    return real_values(ops, type, {1, size, size}, values, "exchange");
}

}  // namespace

TensorIndex rotary_embedding(OperatorBuilder& ops, TensorIndex x, TensorIndex cosines,
                             TensorIndex sines, const RotaryOptions& options) {
    const Shape shape = ops.shape(x);
    const std::int64_t rotated = options.rotated == 0 ? shape[3] : options.rotated;
    const DType type = ops.type(x);
    const Real cosine = doubled_angles(ops, cosines, options.interleaved);
    const Real sine = doubled_angles(ops, sines, options.interleaved);
    const TensorIndex turning = part(ops, x, 3, 0, rotated);
    const Shape turned_shape = ops.shape(turning);
    const TensorIndex rows =
        ops.reshape(turning, {1, shape[0] * shape[1] * shape[2], rotated}, "rows");
    const TensorIndex exchange = exchange_of_pairs(ops, type, rotated, options.interleaved);
    const TensorIndex product = matrix_product(ops, rows, exchange, "exchanged");
    const Real exchanged(ops, ops.reshape(product, turned_shape, "exchanged_in_shape"));
    const Real by_sine = exchanged * sine;
    const Real sum = widened(ops, turning) * cosine + by_sine;
    const TensorIndex turned = ops.cast(sum.tensor(), type, "turned");
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
