// SPDX-License-Identifier: Apache-2.0
// Samples at run-time positions.
#include <cmath>

#include "sim/graph/compose/host_values.h"
#include "sim/graph/compose/products.h"
#include "sim/graph/compose/resampling.h"

namespace okksim::sim::graph::compose {

namespace {

/// One element that a sample reads in one direction: its index (i32) and weight, both [N, points].
struct GridTap {
    TensorIndex index;
    TensorIndex weight;
};

TensorIndex real(OperatorBuilder& ops, double value) { return ops.number(DType::kFp32, 2, value); }
TensorIndex whole(OperatorBuilder& ops, std::int64_t value) {
    return ops.number(DType::kI32, 2, static_cast<double>(value));
}

/// Converts positions -1 to 1 of the grid to elements.
TensorIndex grid_position(OperatorBuilder& ops, TensorIndex grid, std::int64_t size,
                          bool align_corners) {
    const auto n = static_cast<double>(size);
    const double scale = align_corners ? (n - 1) / 2 : n / 2;
    const TensorIndex scaled = ops.product(grid, real(ops, scale), "grid_scaled");
    return ops.binary(OpCode::kAdd, scaled, real(ops, (n - 1) / 2), "position");
}

/// Reflects integer positions at the borders; the sequence of elements is periodic.
TensorIndex reflected_index(OperatorBuilder& ops, TensorIndex index, std::int64_t size,
                            bool align_corners) {
    if (size == 1) return ops.product(index, whole(ops, 0), "single");
    const std::int64_t period = align_corners ? 2 * (size - 1) : 2 * size;
    const TensorIndex quotient = ops.binary(OpCode::kIntdiv, index, whole(ops, period), "periods");
    const TensorIndex rest = ops.binary(
        OpCode::kSub, index, ops.product(quotient, whole(ops, period), "whole_periods"), "rest");
    // INTDIV truncates, so the rest of a negative position is negative. Both orders of elements
    // are symmetric: about element 0, or about the border before it.
    const TensorIndex sign =
        ops.binary(OpCode::kArithmeticRightShift, rest, whole(ops, 31), "sign");
    const TensorIndex phase =
        ops.binary(OpCode::kAdd, rest,
                   ops.binary(OpCode::kBitwiseAnd, sign, whole(ops, period), "wrap"), "phase");
    const TensorIndex mirrored = ops.binary(
        OpCode::kSub, whole(ops, align_corners ? period : period - 1), phase, "mirrored");
    return ops.binary(OpCode::kMinimum, phase, mirrored, "reflected");
}

/// Limits an index to the elements, and clears the weight of outside ones in mode kZeros.
GridTap limited(OperatorBuilder& ops, TensorIndex index, TensorIndex weight, std::int64_t size,
                const GridOptions& options) {
    if (options.padding == GridPadding::kReflection) {
        return {reflected_index(ops, index, size, options.align_corners), weight};
    }
    const TensorIndex low = ops.binary(OpCode::kMaximum, index, whole(ops, 0), "at_least_0");
    const TensorIndex inside = ops.binary(OpCode::kMinimum, low, whole(ops, size - 1), "inside");
    if (options.padding == GridPadding::kBorder) return {inside, weight};
    const TensorIndex is_inside = ops.test(OpCode::kEqual, index, inside, "is_inside");
    return {inside, ops.select(is_inside, weight, real(ops, 0), "weight_inside")};
}

/// Returns a polynomial of `x`, with the highest coefficient first.
TensorIndex polynomial(OperatorBuilder& ops, TensorIndex x, const std::vector<double>& terms) {
    TensorIndex sum = real(ops, terms[0]);
    for (std::size_t i = 1; i < terms.size(); ++i) {
        sum = ops.binary(OpCode::kAdd, ops.product(sum, x, "power"), real(ops, terms[i]), "sum");
    }
    return sum;
}

std::vector<GridTap> grid_taps(OperatorBuilder& ops, TensorIndex position, std::int64_t size,
                               const GridOptions& options) {
    // CAST to i32 rounds to nearest even, as the operator does. Positions beyond +-2^30 are cut
    // so that CAST does not saturate differently in each direction.
    const TensorIndex at = ops.clamp(position, -0x1p30, 0x1p30, "limited");
    if (options.method == ResizeMethod::kNearest) {
        const TensorIndex index = ops.cast(at, DType::kI32, "nearest");
        const TensorIndex one = filled(ops, DType::kFp32, ops.shape(at), 1);
        return {limited(ops, index, one, size, options)};
    }
    const TensorIndex low = ops.unary(OpCode::kFloor, at, "floor");
    const TensorIndex index = ops.cast(low, DType::kI32, "low_index");
    const TensorIndex part = ops.binary(OpCode::kSub, at, low, "fraction");
    std::vector<GridTap> taps;
    const auto add = [&](std::int64_t offset, TensorIndex weight) {
        const TensorIndex moved = ops.binary(OpCode::kAdd, index, whole(ops, offset), "tap_index");
        taps.push_back(limited(ops, moved, weight, size, options));
    };
    if (options.method == ResizeMethod::kLinear) {
        add(0, ops.binary(OpCode::kSub, real(ops, 1), part, "low_weight"));
        add(1, part);
        return taps;
    }
    // Keys' cubic function at distances 1 + t, t, 1 - t and 2 - t, as polynomials of t.
    const double a = options.cubic_coefficient;
    add(-1, polynomial(ops, part, {a, -2 * a, a, 0}));
    add(0, polynomial(ops, part, {a + 2, -(a + 3), 0, 1}));
    add(1, polynomial(ops, part, {-(a + 2), 2 * a + 3, -a, 0}));
    add(2, polynomial(ops, part, {-a, a, 0, 0}));
    return taps;
}

/// Combines a tap of each direction to a flat index and a weight.
GridTap joint_tap(OperatorBuilder& ops, const std::vector<std::vector<GridTap>>& directions,
                  const Shape& choice, const Shape& spatial) {
    GridTap result = directions[0][static_cast<std::size_t>(choice[0])];
    for (std::size_t i = 1; i < directions.size(); ++i) {
        const GridTap& tap = directions[i][static_cast<std::size_t>(choice[i])];
        const TensorIndex rows = ops.product(result.index, whole(ops, spatial[i]), "row_start");
        result = {ops.binary(OpCode::kAdd, rows, tap.index, "flat_index"),
                  ops.product(result.weight, tap.weight, "joint_weight")};
    }
    return result;
}

}  // namespace

TensorIndex grid_sample(OperatorBuilder& ops, TensorIndex x, TensorIndex grid,
                        const GridOptions& options) {
    const Shape maps = ops.shape(x), grid_shape = ops.shape(grid);
    const DType type = ops.type(x);
    const Shape spatial(maps.begin() + 1, maps.end() - 1);
    const std::int64_t batch = maps[0], channels = maps.back();
    const std::int64_t points = extent(grid_shape, 1, grid_shape.size() - 1);
    const auto depth = static_cast<std::int64_t>(spatial.size());
    const TensorIndex flat = ops.reshape(ops.cast(grid, DType::kFp32, "wide_grid"),
                                         {batch, points, depth}, "grid_points");
    std::vector<std::vector<GridTap>> directions;
    Shape counts;
    for (std::size_t i = 0; i < spatial.size(); ++i) {
        // The grid's last dimension begins with the last direction.
        const auto column = depth - 1 - static_cast<std::int64_t>(i);
        const TensorIndex own = ops.reshape(part(ops, flat, 2, column, 1), {batch, points}, "axis");
        directions.push_back(grid_taps(
            ops, grid_position(ops, own, spatial[i], options.align_corners), spatial[i], options));
        counts.push_back(static_cast<std::int64_t>(directions[i].size()));
    }
    const TensorIndex elements = ops.reshape(ops.cast(x, DType::kFp32, "wide"),
                                             {batch, extent(spatial), channels}, "elements");
    std::optional<TensorIndex> sum;
    Shape choice(spatial.size(), 0);
    do {
        const GridTap tap = joint_tap(ops, directions, choice, spatial);
        const TensorIndex weight = ops.reshape(tap.weight, {batch, points, 1}, "weights");
        const TensorIndex term =
            ops.product(ops.gather(elements, tap.index, "taken"), weight, "weighted");
        sum = sum ? ops.binary(OpCode::kAdd, *sum, term, "sum") : term;
    } while (next_position(choice, counts));
    Shape result(grid_shape.begin(), grid_shape.end() - 1);
    result.push_back(channels);
    return ops.reshape(ops.cast(*sum, type, "sample"), result, "samples");
}

TensorIndex affine_grid(OperatorBuilder& ops, TensorIndex theta, const Shape& spatial,
                        bool align_corners) {
    const DType type = ops.type(theta);
    const auto depth = static_cast<std::int64_t>(spatial.size());
    const std::int64_t batch = ops.shape(theta)[0], points = extent(spatial);
    std::vector<double> base;
    Shape at(spatial.size(), 0);
    do {
        for (std::size_t i = spatial.size(); i-- > 0;) {
            const auto n = static_cast<double>(spatial[i]), index = static_cast<double>(at[i]);
            const double steps = align_corners ? std::max(n - 1, 1.0) : n;
            base.push_back((2 * index + (align_corners ? 0 : 1)) / steps - 1);
        }
        base.push_back(1);
    } while (next_position(at, spatial));
    const TensorIndex matrix = real_values(ops, type, {points, depth + 1}, base, "base_grid");
    MatmulOptions options;
    options.transpose_b = true;
    Shape result{batch};
    result.insert(result.end(), spatial.begin(), spatial.end());
    result.push_back(depth);
    return ops.reshape(matmul(ops, matrix, theta, options), result, "grid");
}

}  // namespace okksim::sim::graph::compose
