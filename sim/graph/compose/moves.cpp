// SPDX-License-Identifier: Apache-2.0
#include "sim/graph/compose/moves.h"

#include <algorithm>
#include <numeric>

#include "sim/graph/compose/host_values.h"

namespace okksim::sim::graph::compose {

Shape broadcast_shape(const Shape& a, const Shape& b) {
    Shape result(std::max(a.size(), b.size()), 1);
    for (std::size_t i = 0; i < result.size(); ++i) {
        const std::size_t back = result.size() - i;  // distance from the end
        const std::int64_t x = back <= a.size() ? a[a.size() - back] : 1;
        const std::int64_t y = back <= b.size() ? b[b.size() - back] : 1;
        result[i] = x == 1 ? y : x;
    }
    return result;
}

TensorIndex expand(OperatorBuilder& ops, TensorIndex x, const Shape& shape) {
    const Shape result = broadcast_shape(ops.shape(x), shape);
    Shape from = ops.shape(x);
    from.insert(from.begin(), result.size() - from.size(), 1);
    Shape multiples(result.size(), 1);
    for (std::size_t i = 0; i < result.size(); ++i) {
        if (from[i] != result[i]) multiples[i] = result[i];
    }
    return tile(ops, ops.reshape(x, from, "ranked"), multiples);
}

TensorIndex tile(OperatorBuilder& ops, TensorIndex x, const Shape& repeats) {
    return ops.tile(x, repeats, "tiled");
}

TensorIndex repeat(OperatorBuilder& ops, TensorIndex x, std::size_t axis, std::int64_t times) {
    if (times == 1) return x;
    const Shape shape = ops.shape(x);
    const std::int64_t outer = extent(shape, 0, axis + 1);
    const std::int64_t inner = extent(shape, axis + 1, shape.size());
    const TensorIndex lines = ops.reshape(x, {outer, 1, inner}, "lines");
    return ops.reshape(ops.tile(lines, {1, times, 1}, "repeats"),
                       with_dimension(shape, axis, shape[axis] * times), "repeated");
}

std::vector<TensorIndex> split(OperatorBuilder& ops, TensorIndex x,
                               const std::vector<std::int64_t>& sizes, std::size_t axis) {
    std::vector<TensorIndex> parts;
    std::int64_t start = 0;
    for (const std::int64_t size : sizes) {
        parts.push_back(part(ops, x, axis, start, size));
        start += size;
    }
    return parts;
}

TensorIndex concat(OperatorBuilder& ops, const std::vector<TensorIndex>& parts, std::size_t axis) {
    constexpr std::size_t kMostParts = 64;  // of CONCAT at level 8K
    if (parts.size() <= kMostParts) return ops.concat(parts, axis, "joined");
    std::vector<TensorIndex> joined;
    for (std::size_t i = 0; i < parts.size(); i += kMostParts) {
        const std::size_t limit = std::min(i + kMostParts, parts.size());
        joined.push_back(ops.concat({parts.begin() + static_cast<std::ptrdiff_t>(i),
                                     parts.begin() + static_cast<std::ptrdiff_t>(limit)},
                                    axis, "joined_part"));
    }
    return concat(ops, joined, axis);
}

TensorIndex roll(OperatorBuilder& ops, TensorIndex x, std::int64_t shift, std::size_t axis) {
    const std::int64_t size = ops.shape(x)[axis];
    const std::int64_t start = ((shift % size) + size) % size;
    if (start == 0) return x;
    return concat(
        ops, {part(ops, x, axis, size - start, start), part(ops, x, axis, 0, size - start)}, axis);
}

TensorIndex col2im(OperatorBuilder& ops, TensorIndex x, const Shape& image,
                   const Windows& windows) {
    const Shape columns = ops.shape(x);
    Shape kernel, counts, padded, end;
    for (std::size_t i = 0; i < windows.size(); ++i) {
        const WindowAxis& axis = windows[i];
        kernel.push_back(axis.kernel);
        counts.push_back(window_count(axis, image[i]));
        padded.push_back(image[i] + axis.before + axis.after);
    }
    const std::int64_t taps = extent(kernel);
    const std::int64_t channels = columns[1] / taps;
    // Each tap is an image whose elements are `stride` apart; the image is their sum.
    Shape grid{columns[0] * channels};
    grid.insert(grid.end(), counts.begin(), counts.end());
    const TensorIndex all = ops.reshape(x, {columns[0] * channels, taps, extent(counts)}, "taps");
    std::optional<TensorIndex> sum;
    Shape tap(kernel.size(), 0);
    std::int64_t number = 0;
    do {
        TensorIndex one = ops.reshape(part(ops, all, 1, number++, 1), grid, "tap");
        Shape padding(2 * grid.size(), 0), start(grid.size(), 0), size = grid;
        for (std::size_t i = 0; i < windows.size(); ++i) {
            const std::int64_t stride = windows[i].stride;
            const Shape now = ops.shape(one);
            const TensorIndex lines = ops.reshape(
                one, {extent(now, 0, i + 2), 1, extent(now, i + 2, now.size())}, "lines");
            one = ops.reshape(ops.pad(lines, {0, 0, 0, stride - 1, 0, 0},
                                      ops.number(ops.type(x), 1, 0), "spread"),
                              with_dimension(now, i + 1, now[i + 1] * stride), "spread_tap");
            size[i + 1] = (counts[i] - 1) * stride + 1;
            padding[2 * i + 2] = tap[i] * windows[i].dilation;
            padding[2 * i + 3] = padded[i] - padding[2 * i + 2] - size[i + 1];
        }
        one = ops.pad(ops.slice(one, start, size, "spread_cut"), padding,
                      ops.number(ops.type(x), 1, 0), "placed");
        sum = sum ? ops.binary(OpCode::kAdd, *sum, one, "sum") : one;
    } while (next_position(tap, kernel));
    Shape start{0}, size{columns[0] * channels}, result{columns[0], channels};
    for (std::size_t i = 0; i < windows.size(); ++i) {
        start.push_back(windows[i].before);
        size.push_back(image[i]);
        result.push_back(image[i]);
    }
    return ops.reshape(ops.slice(*sum, start, size, "image"), result, "images");
}

}  // namespace okksim::sim::graph::compose
