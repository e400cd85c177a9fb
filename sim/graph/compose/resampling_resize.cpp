// SPDX-License-Identifier: Apache-2.0
// Resizes by RESIZE, GATHER or MATMUL.
#include <algorithm>
#include <numeric>

#include "sim/graph/compose/host_values.h"
#include "sim/graph/compose/indexing.h"
#include "sim/graph/compose/products.h"
#include "sim/graph/compose/resampling.h"
#include "sim/graph/unread_parts.h"

namespace okksim::sim::graph::compose {

namespace {

bool is_identity(const std::vector<std::int64_t>& table, std::int64_t input) {
    if (static_cast<std::int64_t>(table.size()) != input) return false;
    std::int64_t next = 0;
    return std::ranges::all_of(table, [&](std::int64_t index) { return index == next++; });
}

/// RESIZE has bilinear mode for floating-point types; nearest mode also for i8 and i16.
bool has_resize(DType type, ResizeMethod method) {
    if (type == DType::kFp32 || type == DType::kFp16 || type == DType::kBf16) return true;
    return method == ResizeMethod::kNearest && (type == DType::kI8 || type == DType::kI16);
}

/// Returns the result of RESIZE for directions 1 and 2 of feature maps, if it exists.
std::optional<TensorIndex> resized_maps(OperatorBuilder& ops, TensorIndex x,
                                        const std::vector<std::size_t>& dimensions,
                                        const std::vector<ResizeAxis>& axes,
                                        const ResizeOptions& options) {
    const Shape shape = ops.shape(x);
    constexpr std::int64_t kMostSize = 16383;
    if (shape.size() != 4 || std::max(shape[1], shape[2]) > kMostSize) return std::nullopt;
    if (!has_resize(ops.type(x), options.method)) return std::nullopt;
    ResizeTerms terms[2];
    terms[0].output = shape[1];
    terms[1].output = shape[2];
    for (std::size_t i = 0; i < axes.size(); ++i) {
        if (dimensions[i] != 1 && dimensions[i] != 2) return std::nullopt;
        const auto found = resize_terms(axes[i], options);
        if (!found) return std::nullopt;
        terms[dimensions[i] - 1] = *found;
    }
    return resize_by_terms(ops, x, terms[0], terms[1], options.method);
}

/// Returns 1 where output elements are extrapolated, as a constant with rank of the result.
std::optional<TensorIndex> extrapolated_values(OperatorBuilder& ops, TensorIndex x,
                                               std::size_t dimension,
                                               const std::vector<bool>& outside, double value) {
    if (std::none_of(outside.begin(), outside.end(), [](bool o) { return o; })) return {};
    const auto size = static_cast<std::int64_t>(outside.size());
    const TensorIndex mask =
        ops.block().constant(DType::kBool, with_dimension(Shape(ops.rank(x), 1), dimension, size),
                             {outside.begin(), outside.end()}, "outside");
    return ops.select(mask, ops.number(ops.type(x), ops.rank(x), value), x, "extrapolated");
}

/// Refuses tables of positions and of weights that take gigabytes.
void check_resize(const ResizeAxis& axis, ResizeMethod method) {
    constexpr std::int64_t kMostPositions = std::int64_t{1} << 24;
    const std::int64_t weights = method == ResizeMethod::kNearest ? 1 : axis.input;
    if (axis.output <= kMostPositions && weights <= kMostPositions &&
        axis.output * weights <= kMostPositions) {
        return;
    }
    throw UnsupportedPart("a resized dimension with a table of more than 2^24 numbers");
}

}  // namespace

TensorIndex resize_axis_table(OperatorBuilder& ops, TensorIndex x, std::size_t dimension,
                              const std::vector<std::int64_t>& table, double extrapolation_value) {
    if (is_identity(table, ops.shape(x)[dimension])) return x;
    KnownIndices list{{static_cast<std::int64_t>(table.size())}, table};
    std::vector<bool> outside;
    for (std::int64_t& index : list.values) {
        outside.push_back(index < 0);
        index = std::max<std::int64_t>(index, 0);
    }
    x = gather(ops, x, list, dimension);
    return extrapolated_values(ops, x, dimension, outside, extrapolation_value).value_or(x);
}

TensorIndex resize_axis_weights(OperatorBuilder& ops, TensorIndex x, std::size_t dimension,
                                const std::vector<double>& weights, std::int64_t output) {
    const DType type = ops.type(x);
    const Shape shape = ops.shape(x);
    const std::int64_t input = shape[dimension];
    const std::int64_t outer = extent(shape, 0, dimension);
    const std::int64_t inner = extent(shape, dimension + 1, shape.size());
    const TensorIndex matrix = real_values(ops, type, {output, input}, weights, "weights");
    const Shape result = with_dimension(shape, dimension, output);
    // The matrix is on the left, once for each outer element, if that is cheap. Otherwise, the
    // dimension moves to the end of input and result.
    if (inner > 1 && output * input <= (output + input) * inner) {
        const TensorIndex lines = ops.reshape(x, {outer, input, inner}, "lines");
        return ops.reshape(matmul(ops, reshaped(ops, matrix, {1, output, input}), lines), result,
                           "resized");
    }
    const TensorIndex moved = moved_axis(ops, x, dimension, shape.size() - 1);
    Shape moved_shape = ops.shape(moved);
    MatmulOptions options;
    options.transpose_b = true;
    const TensorIndex product =
        matmul(ops, ops.reshape(moved, {outer * inner, input}, "rows"), matrix, options);
    moved_shape.back() = output;
    return moved_axis(ops, ops.reshape(product, moved_shape, "resized"), shape.size() - 1,
                      dimension);
}

TensorIndex resize(OperatorBuilder& ops, TensorIndex x, const std::vector<std::size_t>& dimensions,
                   const std::vector<ResizeAxis>& axes, const ResizeOptions& options) {
    if (const auto maps = resized_maps(ops, x, dimensions, axes, options)) return *maps;
    for (const ResizeAxis& axis : axes) check_resize(axis, options.method);
    for (std::size_t i = 0; i < axes.size(); ++i) {
        if (options.method == ResizeMethod::kNearest) {
            x = resize_axis_table(ops, x, dimensions[i], nearest_table(axes[i], options),
                                  options.extrapolation_value);
        } else {
            const std::vector<double> weights = resize_weights(axes[i], options);
            std::vector<double> identity(weights.size(), 0);
            for (std::int64_t n = 0; n < std::min(axes[i].input, axes[i].output); ++n) {
                identity[static_cast<std::size_t>(n * axes[i].input + n)] = 1;
            }
            if (axes[i].input == axes[i].output && weights == identity) continue;
            x = resize_axis_weights(ops, x, dimensions[i], weights, axes[i].output);
        }
    }
    if (options.method == ResizeMethod::kNearest ||
        options.coordinates != Coordinates::kTfCropAndResize) {
        return x;
    }
    // Elements that any direction extrapolates have the value, and not a sum with it.
    for (std::size_t i = 0; i < axes.size(); ++i) {
        std::vector<bool> outside;
        for (const std::int64_t element : nearest_table(axes[i], options)) {
            outside.push_back(element < 0);
        }
        x = extrapolated_values(ops, x, dimensions[i], outside, options.extrapolation_value)
                .value_or(x);
    }
    return x;
}

TensorIndex resize_by_terms(OperatorBuilder& ops, TensorIndex x, const ResizeTerms& rows,
                            const ResizeTerms& columns, ResizeMethod method) {
    const Shape shape = ops.shape(x);
    DType type = ops.type(x);
    const bool is_linear = method != ResizeMethod::kNearest;
    if (is_linear && type == DType::kI8) type = DType::kI32;
    if (is_linear && type == DType::kI16) type = DType::kI48;
    BlockBuilder& block = ops.block();
    const TensorList inputs{
        x,
        block.shape_value(
            {rows.numerator, rows.denominator, columns.numerator, columns.denominator}, "scale"),
        block.shape_value({rows.offset, columns.offset}, "offset"),
        block.shape_value({rows.border, columns.border}, "border")};
    const ResizeAttributes attributes{is_linear ? ResizeMode::kBilinear
                                                : ResizeMode::kNearestNeighbor};
    return block.add(OpCode::kResize, attributes, inputs, type,
                     {shape[0], rows.output, columns.output, shape[3]}, "resized");
}

}  // namespace okksim::sim::graph::compose
