// SPDX-License-Identifier: Apache-2.0
// RoiAlign: two matrix products for each box, whose weights are known or computed at run time.
#include <algorithm>
#include <array>
#include <cmath>

#include "sim/graph/compose/host_values.h"
#include "sim/graph/compose/indexing.h"
#include "sim/graph/compose/resampling.h"
#include "sim/graph/compose/wide_products.h"

namespace okksim::sim::graph::compose {

namespace {

/// Weights of one direction, [boxes, bins * samples, size]. A mean has one matrix, which
/// contains its samples. A maximum has a matrix for the lower and one for the higher neighbour.
struct BoxWeights {
    std::vector<TensorIndex> matrices;
    std::int64_t bins = 1;
    std::int64_t samples = 1;
    std::int64_t size = 1;
};

/// One direction of the boxes.
struct BoxAxis {
    std::size_t first_column;  ///< in the corners: 1 for rows, 0 for columns
    std::int64_t bins;
    std::int64_t size;  ///< of the feature map
};

/// Neighbours of a sample and the weight of the higher one; no neighbours outside.
struct Neighbours {
    bool is_inside = false;
    std::int64_t low = 0, high = 0;
    double weight = 0;
};

Neighbours neighbours_of(double at, std::int64_t size) {
    Neighbours result;
    if (at < -1 || at > static_cast<double>(size)) return result;
    const double inside = std::clamp(at, 0.0, static_cast<double>(size - 1));
    result.is_inside = true;
    result.low = static_cast<std::int64_t>(inside);
    result.high = std::min(result.low + 1, size - 1);
    result.weight = inside - static_cast<double>(result.low);
    return result;
}

/// Returns the start and the size of a known box in one direction.
std::array<double, 2> box_span(const KnownBoxes& boxes, std::size_t box, const BoxAxis& axis,
                               const RoiOptions& options) {
    const double shift = options.half_pixel ? 0.5 : 0;
    const double start = boxes.corners[4 * box + axis.first_column] * options.spatial_scale;
    const double end = boxes.corners[4 * box + axis.first_column + 2] * options.spatial_scale;
    const double size = end - start;
    return {start - shift, options.half_pixel ? size : std::max(size, 1.0)};
}

BoxWeights known_weights(OperatorBuilder& ops, const KnownBoxes& boxes, const BoxAxis& axis,
                         const RoiOptions& options) {
    const std::size_t count = boxes.batch.size();
    std::vector<std::int64_t> samples;
    for (std::size_t box = 0; box < count; ++box) {
        const double bin = box_span(boxes, box, axis, options)[1] / static_cast<double>(axis.bins);
        samples.push_back(
            options.sampling_ratio > 0
                ? options.sampling_ratio
                : std::max<std::int64_t>(static_cast<std::int64_t>(std::ceil(bin)), 1));
    }
    BoxWeights result{{}, axis.bins, 1, axis.size};
    if (options.is_maximum) result.samples = *std::max_element(samples.begin(), samples.end());
    const Shape shape{static_cast<std::int64_t>(count), axis.bins * result.samples, axis.size};
    std::vector<double> low(static_cast<std::size_t>(extent(shape)), 0), high = low;
    for (std::size_t box = 0; box < count; ++box) {
        const auto [start, size] = box_span(boxes, box, axis, options);
        const auto n = static_cast<double>(samples[box]);
        // A maximum repeats the last sample of a box with fewer samples.
        const std::int64_t rounds = options.is_maximum ? result.samples : samples[box];
        for (std::int64_t i = 0; i < axis.bins * rounds; ++i) {
            const auto sample = static_cast<double>(std::min(i % rounds, samples[box] - 1));
            const double place = static_cast<double>(i / rounds) + (sample + 0.5) / n;
            const Neighbours near =
                neighbours_of(start + size * place / static_cast<double>(axis.bins), axis.size);
            if (!near.is_inside) continue;
            const std::int64_t line =
                static_cast<std::int64_t>(box) * shape[1] + (options.is_maximum ? i : i / rounds);
            const double share = options.is_maximum ? 1 : 1 / n;
            auto& second = options.is_maximum ? high : low;
            low[static_cast<std::size_t>(line * axis.size + near.low)] += share * (1 - near.weight);
            second[static_cast<std::size_t>(line * axis.size + near.high)] += share * near.weight;
        }
    }
    const DType type = DType::kFp32;
    result.matrices.push_back(real_values(ops, type, shape, low, "box_weights"));
    if (options.is_maximum) {
        result.matrices.push_back(real_values(ops, type, shape, high, "high_weights"));
    }
    return result;
}

TensorIndex real3(OperatorBuilder& ops, double value) { return ops.number(DType::kFp32, 3, value); }

/// Returns the positions of all samples, [boxes, bins * samples, 1].
TensorIndex sample_positions(OperatorBuilder& ops, TensorIndex boxes, const BoxAxis& axis,
                             const RoiOptions& options) {
    const auto column = [&](std::size_t at) {
        const TensorIndex own = part(ops, boxes, 1, static_cast<std::int64_t>(at), 1);
        const TensorIndex scaled =
            ops.product(own, ops.number(DType::kFp32, 2, options.spatial_scale), "box_scaled");
        return ops.reshape(scaled, {ops.shape(boxes)[0], 1, 1}, "box_edge");
    };
    TensorIndex start = column(axis.first_column);
    TensorIndex size = ops.binary(OpCode::kSub, column(axis.first_column + 2), start, "box_size");
    if (options.half_pixel) {
        start = ops.binary(OpCode::kSub, start, real3(ops, 0.5), "box_start");
    } else {
        size = ops.binary(OpCode::kMaximum, size, real3(ops, 1), "box_size_1");
    }
    const std::int64_t count = axis.bins * options.sampling_ratio;
    std::vector<double> places;
    for (std::int64_t i = 0; i < count; ++i) {
        places.push_back((static_cast<double>(i) + 0.5) / static_cast<double>(count));
    }
    const TensorIndex place = real_values(ops, DType::kFp32, {1, count, 1}, places, "places");
    return ops.binary(OpCode::kAdd, start, ops.product(size, place, "in_box"), "sample_positions");
}

BoxWeights run_time_weights(OperatorBuilder& ops, TensorIndex boxes, const BoxAxis& axis,
                            const RoiOptions& options) {
    const std::int64_t samples = options.sampling_ratio, count = ops.shape(boxes)[0];
    BoxWeights result{{}, axis.bins, options.is_maximum ? samples : 1, axis.size};
    const TensorIndex at = sample_positions(ops, boxes, axis, options);
    const auto most = static_cast<double>(axis.size - 1);
    const TensorIndex allowed = ops.clamp(at, -1, most + 1, "allowed");
    const TensorIndex is_inside = ops.test(OpCode::kEqual, at, allowed, "is_inside");
    const TensorIndex inside = ops.clamp(at, 0, most, "inside");
    std::vector<double> numbers;
    for (std::int64_t i = 0; i < axis.size; ++i) numbers.push_back(static_cast<double>(i));
    const TensorIndex elements =
        real_values(ops, DType::kFp32, {1, 1, axis.size}, numbers, "elements");
    const auto kept = [&](TensorIndex weights) {
        return ops.select(is_inside, weights, real3(ops, 0), "box_weights");
    };
    if (options.is_maximum) {
        const TensorIndex low = ops.unary(OpCode::kFloor, inside, "low");
        const TensorIndex high =
            ops.clamp(ops.binary(OpCode::kAdd, low, real3(ops, 1), "next"), 0, most, "high");
        const TensorIndex share = ops.binary(OpCode::kSub, inside, low, "share");
        const TensorIndex other = ops.binary(OpCode::kSub, real3(ops, 1), share, "other_share");
        for (const auto& [element, weight] : {std::pair(low, other), std::pair(high, share)}) {
            const TensorIndex is_it = ops.test(OpCode::kEqual, elements, element, "is_element");
            result.matrices.push_back(
                kept(ops.select(is_it, weight, real3(ops, 0), "element_weights")));
        }
        return result;
    }
    // The weight of an element falls from 1 at the sample to 0 at distance 1.
    const TensorIndex distance = ops.unary(
        OpCode::kAbs, ops.binary(OpCode::kSub, inside, elements, "difference"), "distance");
    const TensorIndex weights =
        ops.clamp(ops.binary(OpCode::kSub, real3(ops, 1), distance, "triangle"), 0, 1, "positive");
    const TensorIndex groups =
        ops.reshape(kept(weights), {count, axis.bins, samples, axis.size}, "by_bin");
    const TensorIndex sums = ops.reshape(ops.reduce_sum(groups, 2, "bin_sums"),
                                         {count, axis.bins, axis.size}, "bin_rows");
    result.matrices.push_back(
        ops.product(sums, real3(ops, 1 / static_cast<double>(samples)), "bin_weights"));
    return result;
}

/// Weights rows and columns of the boxes' feature maps, [R, rows, columns, C].
TensorIndex weighted_maps(OperatorBuilder& ops, TensorIndex maps, TensorIndex rows,
                          TensorIndex columns) {
    const Shape shape = ops.shape(maps);
    const std::int64_t count = shape[0], height = ops.shape(rows)[1];
    const std::int64_t width = ops.shape(columns)[1];
    const TensorIndex lines = ops.reshape(maps, {count, shape[1], shape[2] * shape[3]}, "map_rows");
    const TensorIndex high = ops.reshape(matmul_batches(ops, rows, lines),
                                         {count * height, shape[2], shape[3]}, "map_columns");
    const TensorIndex repeated = ops.tile(ops.reshape(columns, {count, 1, width, shape[2]}, "once"),
                                          {1, height, 1, 1}, "column_weights");
    const TensorIndex wide = matmul_batches(
        ops, ops.reshape(repeated, {count * height, width, shape[2]}, "column_rows"), high);
    return ops.reshape(wide, {count, height, width, shape[3]}, "weighted_maps");
}

/// Pools the feature map of each box.
TensorIndex pooled_boxes(OperatorBuilder& ops, TensorIndex maps, const BoxWeights& rows,
                         const BoxWeights& columns) {
    std::optional<TensorIndex> result;
    for (const TensorIndex row : rows.matrices) {
        for (const TensorIndex column : columns.matrices) {
            const TensorIndex corner = weighted_maps(ops, maps, row, column);
            result = result ? ops.binary(OpCode::kMaximum, *result, corner, "corners") : corner;
        }
    }
    if (rows.samples == 1 && columns.samples == 1) return *result;
    const Shape shape = ops.shape(*result);
    const TensorIndex by_row =
        ops.reshape(*result, {shape[0] * rows.bins, rows.samples, shape[2] * shape[3]}, "by_row");
    const TensorIndex by_column =
        ops.reshape(ops.reduce_max(by_row, 1, "row_maxima"),
                    {shape[0] * rows.bins * columns.bins, columns.samples, shape[3]}, "by_column");
    return ops.reshape(ops.reduce_max(by_column, 1, "column_maxima"),
                       {shape[0], rows.bins, columns.bins, shape[3]}, "maxima");
}

}  // namespace

TensorIndex roi_align(OperatorBuilder& ops, TensorIndex x, TensorIndex boxes,
                      TensorIndex batch_indices, const RoiOptions& options) {
    const Shape shape = ops.shape(x);
    const TensorIndex wide = ops.cast(boxes, DType::kFp32, "wide_boxes");
    const BoxWeights rows = run_time_weights(ops, wide, {1, options.rows, shape[1]}, options);
    const BoxWeights columns = run_time_weights(ops, wide, {0, options.columns, shape[2]}, options);
    const TensorIndex maps =
        ops.cast(shape[0] == 1 ? ops.tile(x, {ops.shape(boxes)[0], 1, 1, 1}, "box_maps")
                               : gather(ops, x, batch_indices, 0, false),
                 DType::kFp32, "wide_maps");
    return ops.cast(pooled_boxes(ops, maps, rows, columns), ops.type(x), "aligned");
}

TensorIndex roi_align(OperatorBuilder& ops, TensorIndex x, const KnownBoxes& boxes,
                      const RoiOptions& options) {
    const Shape shape = ops.shape(x);
    const BoxWeights rows = known_weights(ops, boxes, {1, options.rows, shape[1]}, options);
    const BoxWeights columns = known_weights(ops, boxes, {0, options.columns, shape[2]}, options);
    const KnownIndices list{{static_cast<std::int64_t>(boxes.batch.size())}, boxes.batch};
    const TensorIndex maps = ops.cast(gather(ops, x, list, 0), DType::kFp32, "wide_maps");
    return ops.cast(pooled_boxes(ops, maps, rows, columns), ops.type(x), "aligned");
}

}  // namespace okksim::sim::graph::compose
